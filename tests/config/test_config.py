from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.config.file import read_config_file
from rooflint.config.lint_settings import Pattern
from rooflint.config.settings import NO_CONFIG, ConfigFinder, load_config, parse_cores
from rooflint.errors import ConfigurationError


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_all_keys(tmp_path: Path) -> None:
    path = write(
        tmp_path / "rooflint.toml",
        'machine = ["cell", "toy.yaml"]\ncores = 4\ncompiler = "gcc-12"\nmodel = "roofline"\n'
        '[sizes]\nN = 4096\n"row[i+1]-row[i]" = 27.0\n',
    )
    write(tmp_path / "toy.yaml", "")
    config = load_config(path)
    assert config.file == str(path)
    assert config.machines == ("cell", str(tmp_path / "toy.yaml"))
    assert config.compiler == "gcc-12"
    assert (config.cores, config.models) == ("4", ("roofline",))
    assert config.sizes == {"N": 4096, "row[i+1]-row[i]": 27}


def test_the_nearest_own_file_wins_over_pyproject(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.rooflint]\nmachine = 'shared'\n")
    write(tmp_path / "a" / "rooflint.toml", "machine = 'outer'\n")
    write(tmp_path / "a" / "b" / ".rooflint.toml", "machine = 'inner'\n")
    write(tmp_path / "other" / "pyproject.toml", "[project]\nname = 'x'\n")
    finder = ConfigFinder()

    def machines(*parts: str) -> tuple[str, ...]:
        return finder.config_for(tmp_path.joinpath(*parts)).machines

    assert machines("a", "b", "k.c") == ("inner",)
    assert machines("a", "k.c") == ("outer",)
    assert machines("a", "c", "d", "k.c") == ("outer",)
    assert machines("k.c") == ("shared",)
    # a pyproject.toml that does not speak of us is not ours
    assert machines("other", "k.c") == ("shared",)


def test_no_configuration(tmp_path: Path) -> None:
    write(tmp_path / "rooflint.toml", "")
    assert ConfigFinder().config_for(tmp_path / "k.c").machines == NO_CONFIG.machines


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("rooflint.toml", "cores = 1\nmachin = 'cell'\n", r"rooflint\.toml:2: unknown key 'machin',"
         r" expected one of machine, cores, compiler, sizes, scenario, model, entry, select, .*;"
         r" did you mean 'machine'\?"),
        ("pyproject.toml", "[project]\nmodels = 1\n[tool.rooflint]\n# models\nmodels = 'x'\n",
         r"pyproject\.toml:5: unknown key 'models'.*'model'"),
        ("rooflint.toml", "cores = 'sockets'\n", r":1: cores: 'sockets'.*did you mean 'socket'\?"),
        ("rooflint.toml", "compiler = 'icc'\n", r":1: compiler: 'icc', expected .* clang or gcc"),
        ("rooflint.toml", "compiler = './gcc'\n", r":1: compiler: './gcc', expected the name"),
        ("rooflint.toml", "cores = 0\n", r":1: cores: '0', expected 1, socket, node"),
        ("rooflint.toml", "cores = true\n", r":1: cores: expected .* got True"),
        ("rooflint.toml", "\nmachine = 3\n", r":2: machine: expected a name or a list of names"),
        ("rooflint.toml", "[sizes]\nM = 1\nN = 'big'\n", r":3: sizes: N: expected a whole number"),
        ("rooflint.toml", "[sizes]\nN = 1.5\n", r":2: sizes: N: expected a whole number, got 1\.5"),
        ("rooflint.toml", "[sizes]\nN = inf\n", r":2: sizes: N: expected a whole number, got inf"),
        ("rooflint.toml", "sizes = 4\n", r":1: sizes: expected a table"),
        ("rooflint.toml", "scenario = 's'\n", r":1: scenario: expected tables such as \[scen"),
        ("rooflint.toml", "[scenario]\nn = 4\n", r":2: scenario\.n: expected a table of NAME ="),
        ("rooflint.toml", "[scenario.a]\nn = 1\n[scenario.b]\nn = 'x'\n",
         r":4: scenario\.b: n: expected a whole number, got 'x'"),
        ("rooflint.toml", "header-filter = '../**'\n", r":1: header-filter: '.* is not"),
        ("rooflint.toml", "\nexclude = ['/usr']\n", r":2: exclude: '/usr' is not below this file"),
        ("rooflint.toml", "[per-file]\n'../a' = {ignore = 'R'}\n", r":2: per-file: '\.\./a' is n"),
        ("rooflint.toml", "compile-commands = ['b']\n", r":1: compile-commands: expected a comp"),
        ("rooflint.toml", "flags = ['-O3']\n", r":1: flags: expected a table with default"),
        ("rooflint.toml", "[flags]\nlocal = []\n", r":1: flags: expected a table with default"),
        ("rooflint.toml", "[flags]\ndefault = '-O3'\n", r":2: flags: default: expected a list of"),
        ("rooflint.toml", "a = 1\nmachine 'x'\n", r"rooflint\.toml:2: not valid TOML"),
        ("rooflint.toml", "cores = 1\na", r"rooflint\.toml:2: not valid TOML: .* end of document"),
        ("pyproject.toml", "tool.rooflint = 3\n", r"tool\.rooflint must be a table"),
    ],
)  # fmt: skip
def test_mistakes_name_file_and_line(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        load_config(write(tmp_path / name, text))


def test_a_file_extends_another(tmp_path: Path) -> None:
    base = write(
        tmp_path / "rooflint.toml",
        "machine = 'toy.yaml'\ncores = 4\nmin-gain = 1.3\nselect = ['RL1']\nexclude = ['old']\n"
        "compile-commands = 'build'\n[sizes]\nN = 1\nM = 2\n"
        "[severity]\nRL101 = 'note'\nRL102 = 'note'\n"
        "[per-file]\n'*.c' = { ignore = ['RL1'] }\n[flags]\ndefault = ['-Iinc']\n",
    )
    write(tmp_path / "toy.yaml", "")
    child = write(
        tmp_path / "a" / "rooflint.toml",
        "extends = '../rooflint.toml'\nmin-gain = 1.5\npreview = true\n"
        "severity.RL102 = 'error'\n[sizes]\nN = 3\n[per-file.'*.c']\nignore = ['RL2']\n",
    )
    config = load_config(child)
    lint = config.lint
    assert (config.database, config.flags) == (str(tmp_path / "build"), ("-Iinc",))
    assert config.flags_folder == str(tmp_path)
    assert (config.file, config.cores) == (str(child), "4")
    # a path is seen from the file that says it
    assert config.machines == (str(tmp_path / "toy.yaml"),)
    assert (lint.min_gain, lint.select, lint.preview) == (1.5, ("RL1",), True)
    # tables are merged key by key
    assert config.sizes == {"N": 3, "M": 2}
    assert lint.severity == {"RL101": "note", "RL102": "error"}
    assert [list(words) for words in lint.per_file.values()] == [["RL1"], ["RL2"]]
    [pattern] = lint.exclude
    assert pattern.matches(str(tmp_path / "old" / "k.c"))
    assert not pattern.matches(str(tmp_path / "a" / "old" / "k.c"))
    places = {".".join(keys): config.place(*keys) for keys in config.lines}
    assert places["extends"] == f"{child}:1"
    assert (places["cores"], places["min-gain"]) == (f"{base}:2", f"{child}:2")
    assert (places["sizes.N"], places["sizes.M"]) == (f"{child}:6", f"{base}:9")
    assert (places["severity.RL101"], places["severity.RL102"]) == (f"{base}:11", f"{child}:4")


SCENARIOS = "[sizes]\nn = 1\nm = 2\n[scenario.s30]\nn = 30\n[scenario.s60]\nn = 60\n"


def test_a_scenario_holds_before_the_other_sizes(tmp_path: Path) -> None:
    config = load_config(write(tmp_path / "rooflint.toml", SCENARIOS))
    assert config.sizes_in("") == {"n": 1, "m": 2}
    assert config.sizes_in("s30") == {"n": 30, "m": 2}
    assert config.sizes_in("s60") == {"n": 60, "m": 2}
    assert config.place("scenario", "s60", "n") == f"{tmp_path}/rooflint.toml:7"


def test_a_name_of_a_scenario_holds_in_all_scopes_that_it_does_not_name(tmp_path: Path) -> None:
    text = '[sizes]\n"gemm:n" = 512\n"G::k" = 7\n[scenario.small]\nn = 8\n"G::k" = 9\n'
    config = load_config(write(tmp_path / "rooflint.toml", text))
    assert config.sizes_in("small") == {"n": 8, "G::k": 9}


def test_scenarios_of_an_extended_file_are_merged(tmp_path: Path) -> None:
    write(tmp_path / "base.toml", SCENARIOS)
    text = "extends = 'base.toml'\n[scenario.s30]\nm = 3\n[scenario.own]\nn = 5\n"
    config = load_config(write(tmp_path / "rooflint.toml", text))
    assert config.sizes_in("s30") == {"n": 30, "m": 3}
    assert config.sizes_in("s60") == {"n": 60, "m": 2}
    assert config.sizes_in("own") == {"n": 5, "m": 2}
    assert config.place("scenario", "s30", "n") == f"{tmp_path}/base.toml:5"
    assert config.place("scenario", "s30", "m") == f"{tmp_path}/rooflint.toml:3"


def test_an_unknown_scenario_is_one_line_with_those_there_are(tmp_path: Path) -> None:
    path = write(tmp_path / "rooflint.toml", SCENARIOS)
    with pytest.raises(ConfigurationError) as error:
        load_config(path).sizes_in("s3")
    assert str(error.value) == (
        f"scenario 's3': {path} has s30 ({path}:4), s60 ({path}:6); did you mean 's30'?"
    )
    path = write(tmp_path / "other" / "rooflint.toml", "cores = 1\n")
    with pytest.raises(ConfigurationError, match=r"'s3': .*/other/rooflint\.toml has no \[scen"):
        load_config(path).sizes_in("s3")
    with pytest.raises(ConfigurationError, match=r"'s3': no configuration file was read; \["):
        NO_CONFIG.sizes_in("s3")


def test_a_file_extends_a_part_of_pyproject(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[project]\nname = 'x'\n[tool.rooflint]\ncores = 2\n")
    child = write(tmp_path / "rooflint.toml", "extends = 'pyproject.toml'\n")
    assert load_config(child).cores == "2"
    write(tmp_path / "pyproject.toml", "[project]\nname = 'x'\n")
    with pytest.raises(ConfigurationError, match=r"rooflint\.toml:1: .* no table tool\.rooflint"):
        load_config(child)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("'roflint.toml'", r"no file 'roflint\.toml' .* did you mean 'rooflint\.toml'\?"),
        ("'/etc/passwd'", r"expected a \.toml file, got '/etc/passwd'"),
        ("'none/rooflint.toml'", r"no file 'none/rooflint\.toml' relative to "),
        ("'..'", r"'\.\.' is a folder, expected a file such as \.\./rooflint\.toml"),
        ("''", r"expected a .toml file, got ''"),
        ("['a']", r"expected a .toml file, got \['a'\]"),
        ("'rooflint.toml'", r"rooflint\.toml extends this file in turn"),
        ("'b/rooflint.toml'", r"b/rooflint\.toml:1: extends: .*toml extends this file in turn"),
        ("'c.toml'", r"c\.toml:2: cores: '0', expected"),
    ],
)
def test_what_cannot_be_extended(tmp_path: Path, value: str, message: str) -> None:
    write(tmp_path / "b" / "rooflint.toml", "extends = '../rooflint.toml'\n")
    write(tmp_path / "c.toml", "\ncores = 0\n")
    path = write(tmp_path / "rooflint.toml", f"\nextends = {value}\n")
    with pytest.raises(ConfigurationError, match=message) as error:
        load_config(path)
    assert ".toml:2: " in str(error.value) or "b/rooflint.toml:1: " in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("glob", "path", "meant"),
    [
        ("third_party/**", "third_party/a/b.c", True),
        ("third_party", "third_party/a/b.c", True),
        ("third_party/", "third_party/b.c", True),
        ("third_party", "src/third_party/b.c", False),
        ("third_party/**", "third_party.c", False),
        ("*.c", "a/b/k.c", True),
        ("src/old.c", "src/old.c", True),
        ("src/old.c", "a/src/old.c", False),
        ("**/old.c", "old.c", True),
        ("**/old.c", "a/b/old.c", True),
        ("a/**/old.c", "a/old.c", True),
        ("**/generated/**", "generated/k.c", True),
        ("**/generated/**", "a/generated/b/k.c", True),
        ("**/generated", "generated/k.c", True),
        ("./src/*.c", "src/k.c", True),
        ("*.c", "../k.c", False),
        ("../inc/**", "../inc/k.h", True),
    ],
)
def test_patterns(tmp_path: Path, glob: str, path: str, meant: bool) -> None:
    assert Pattern(glob, str(tmp_path)).matches(str(tmp_path / path)) is meant


def test_patterns_where_a_folder_is_reached_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "real" / "inc").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    pattern = Pattern("inc/**", str(tmp_path / "link"))
    assert pattern.matches(str(tmp_path / "real" / "inc" / "k.h"))
    assert not pattern.matches(str(tmp_path / "inc" / "k.h"))


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "rooflint.toml"
    path.write_bytes(b"machine = '\xff'\n")
    with pytest.raises(ConfigurationError, match="not UTF-8 text"):
        load_config(path)


def test_cores() -> None:
    assert [parse_cores(text) for text in ("1", "socket", "node", "12")] == [
        "1",
        "socket",
        "node",
        "12",
    ]
    for text in ("0", "-1", "all", "", "1.5", "²"):
        with pytest.raises(ValueError, match="expected 1, socket, node"):
            parse_cores(text)


KEY = st.one_of(
    st.text("abcXYZ019_-", min_size=1, max_size=6),
    st.text("ab .*/[]=#", min_size=1, max_size=6).map(lambda text: f'"{text}"'),
)
TABLES = st.dictionaries(KEY, st.dictionaries(KEY, st.integers(), max_size=3), max_size=3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all examples of a property."""
    return tmp_path_factory.mktemp("configuration")


@given(top=st.dictionaries(KEY, st.integers(), max_size=3), tables=TABLES, shared=st.booleans())
def test_every_value_knows_its_line(
    folder: Path,
    top: dict[str, int],
    tables: dict[str, dict[str, int]],
    shared: bool,
) -> None:
    prefix = "tool.rooflint" if shared else ""
    lines = ["# a = 1", "[project]", "a = 2", f"[{prefix}]"] if shared else ["# a = 1", ""]
    expected: dict[tuple[str, ...], int] = {}
    for key, value in top.items():
        lines.append(f"{key} = {value}  # [x]")
        expected[key.strip('"'),] = len(lines)
    for name, inner in tables.items():
        if name in top or name.strip('"') in {key.strip('"') for key in top}:
            continue
        lines.append(f"  [{prefix}{'.' * shared}{name}] # b = 1")
        expected.setdefault((name.strip('"'),), len(lines))
        for key, value in inner.items():
            lines.append(f"  {key}={value}")
            expected.setdefault((name.strip('"'), key.strip('"')), len(lines))
    name = "pyproject.toml" if shared else "x.toml"
    path = folder / name
    path.write_text("\n".join(lines), encoding="utf-8")
    try:
        file = read_config_file(path)
    except ConfigurationError:  # a key given twice, once with quotes
        return
    assert {keys: line for keys, line in file.lines.items() if keys} == expected
    assert file.line("none", "of", "these") == 0
    for keys, line in expected.items():
        assert file.line(*keys, "deeper") == line
