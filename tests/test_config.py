from pathlib import Path

import pytest
from rooflint.config import NO_CONFIG, ConfigFinder, load_config, parse_cores
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
         r" expected one of machine, cores, compiler, sizes, model, cache-dir, select, .*;"
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
        ("rooflint.toml", "a = 1\nmachine 'x'\n", r"rooflint\.toml:2: not valid TOML"),
        ("pyproject.toml", "tool.rooflint = 3\n", r"tool\.rooflint must be a table"),
    ],
)  # fmt: skip
def test_mistakes_name_file_and_line(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        load_config(write(tmp_path / name, text))


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
