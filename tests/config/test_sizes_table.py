"""Sizes are written into a configuration whose comments and order stay."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.config.settings import NO_CONFIG, load_config
from rooflint.config.sizes_table import SizesTable, common_folder, table_of, with_sizes
from rooflint.errors import ConfigurationError

TEXT = """# ours
machine = "cell"   # the cluster
[sizes]  # of all runs
n = 1     # cells
"gemm:n" = 512

# by hand
[scenario.s30]
nx = 30
"""


def test_a_value_is_replaced_and_others_come_behind_it() -> None:
    changed = with_sizes(TEXT, ("sizes",), {"n": 40, "m": 7, "Domain::k": 8})
    assert changed == TEXT.replace("n = 1     # cells", "n = 40    # cells").replace(
        '"gemm:n" = 512\n', '"gemm:n" = 512\nm = 7\n"Domain::k" = 8\n'
    )


def test_a_scenario_is_edited_or_added() -> None:
    assert with_sizes(TEXT, ("scenario", "s30"), {"nx": 31, "ny": 2}) == TEXT.replace(
        "nx = 30\n", "nx = 31\nny = 2\n"
    )
    added = TEXT + '\n[scenario."a b"]\nn = 2\n'
    assert with_sizes(TEXT, ("scenario", "a b"), {"n": 2}) == added


def test_an_empty_file_gets_a_table_and_a_windows_one_keeps_its_line_ends() -> None:
    assert with_sizes("", ("sizes",), {"n": 2}) == "[sizes]\nn = 2\n"
    assert with_sizes("cores = 2", ("sizes",), {"n": 2}) == "cores = 2\n\n[sizes]\nn = 2\n"
    assert with_sizes("[sizes]\r\nn = 1\r\n", ("sizes",), {"n": 2}) == "[sizes]\r\nn = 2\r\n"


@pytest.mark.parametrize(
    "text",
    ["sizes = { n = 1 }\n", "sizes.n = 1\n", "sizes = 1\n", 'model = """\n[sizes]\nn = 1\n"""\n'],
)
def test_what_is_written_otherwise_is_left_alone(text: str, tmp_path: Path) -> None:
    path = tmp_path / "rooflint.toml"
    path.write_text(text)
    with pytest.raises(ConfigurationError) as error:
        SizesTable(path).write({"m": 3, "f:n": 4})
    assert str(error.value) == (
        f"{path}: its sizes cannot be edited; write them yourself, with a line [sizes] before:"
        ' m = 3; "f:n" = 4'
    )
    assert path.read_text() == text


NAMES = st.text("nmab_:[]+-*.> ()", min_size=1, max_size=5)
LINES = ["# ours", 'machine = "cell"   # the cluster', "# a = 1", "cores = 2"]


@given(
    st.lists(st.sampled_from(LINES), unique=True),
    st.dictionaries(NAMES, st.integers(0, 2**40), min_size=1),
    st.dictionaries(NAMES, st.integers(0, 2**40), min_size=1),
)
def test_nothing_else_changes(before: list[str], old: dict[str, int], new: dict[str, int]) -> None:
    text = with_sizes("".join(f"{line}\n" for line in before), ("sizes",), old)
    assert text is not None
    changed = with_sizes(text, ("sizes",), new)
    assert changed is not None
    assert tomllib.loads(changed) == {**tomllib.loads(text), "sizes": {**old, **new}}
    assert [line for line in changed.splitlines() if line in before] == before


def test_a_name_with_marks_of_toml_is_written_or_refused() -> None:
    for name in ("a#b", "a=b", "it's", 'a"b', "\\", "\n"):
        for text in ("", with_sizes("", ("sizes",), {name: 1}) or ""):
            changed = with_sizes(text, ("sizes",), {name: 2})
            assert changed is None or tomllib.loads(changed)["sizes"] == {name: 2}


def test_the_table_of_pyproject_is_our_own(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text("[project]\nname = 'x'\n[tool.rooflint]\ncores = 2\n[tool.other]\na = 1\n")
    SizesTable(path).write({"n": 3})
    SizesTable(path, "small").write({"n": 4})
    config = load_config(path)
    assert (config.sizes, config.scenarios) == ({"n": 3}, {"small": {"n": 4}})
    assert tomllib.loads(path.read_text())["tool"]["other"] == {"a": 1}


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text("[sizes]\n")
    (tmp_path / "rooflint.toml").symlink_to("other.toml")
    with pytest.raises(ConfigurationError, match=r"rooflint\.toml: is a link"):
        SizesTable(tmp_path / "rooflint.toml").write({"n": 1})
    assert (tmp_path / "other.toml").read_text() == "[sizes]\n"


def test_a_new_file_belongs_where_all_paths_meet(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "k.c").write_text("")
    assert common_folder([str(tmp_path / "a")]) == tmp_path / "a"
    assert common_folder([str(tmp_path / "a" / "k.c")]) == tmp_path / "a"
    assert common_folder([str(tmp_path / "a" / "b"), str(tmp_path / "a" / "k.c")]) == tmp_path / "a"


def test_the_table_of_a_configuration_or_of_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "rooflint.toml"
    path.write_text("cores = 1\n")
    assert table_of(load_config(path), tmp_path / "a", "s") == SizesTable(path, "s")
    assert table_of(NO_CONFIG, tmp_path / "a", "") == SizesTable(tmp_path / "a" / "rooflint.toml")
