"""The schema that editors get and the loader agree."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from rooflint.config.lint_settings import MIN_TIME_S, time_text
from rooflint.config.schema import configuration_schema
from rooflint.config.settings import KEYS, load_config
from rooflint.errors import ConfigurationError

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "editors" / "vscode" / "schemas"
VALIDATOR = jsonschema.Draft7Validator(configuration_schema())

RIGHT: list[tuple[str, Any]] = [
    ("machine", "cell"), ("machine", ["cell", "snb"]),
    ("cores", 1), ("cores", "8"), ("cores", "socket"),
    ("compiler", "gcc-12"), ("compiler", ""), ("model", "ecm"), ("model", []),
    ("entry", "cold"), ("entry", "steady"), ("compile-commands", "build"),
    ("sizes", {"N": 4096, "gemm:n": 512}), ("sizes", {"N": 1e6}), ("sizes", {}),
    ("scenario", {"s30": {"nx": 30}}), ("flags", {"default": ["-O3"]}),
    ("counts", "cov.json"), ("profile", ["perf.txt"]),
    ("select", ["RL1"]), ("ignore", "RL201"), ("min-gain", 1), ("min-gain", "1.2x"),
    ("min-time", "10us"), ("min-time", " 0.5 ms"), ("min-confidence", "low"),
    ("fail-on", "note"), ("fail-on", "gain>=2"), ("policy", "any"), ("preview", True),
    ("exclude", ["old/**"]), ("header-filter", "*.hpp"),
    ("severity", {"RL101": "note"}), ("per-file", {"old/**": {"ignore": ["RL1"]}}),
]  # fmt: skip
WRONG: list[tuple[str, Any]] = [
    ("machine", 1), ("machine", [""]), ("machine", True),
    ("cores", 0), ("cores", "0"), ("cores", "sockets"), ("cores", 1.5), ("cores", True),
    ("compiler", 12), ("model", {}), ("entry", "warm"), ("compile-commands", ""),
    ("compile-commands", ["build"]), ("sizes", {"N": "many"}), ("sizes", {"N": 1.5}),
    ("sizes", {"N": True}), ("sizes", 4), ("scenario", {"s30": 1}), ("scenario", [1]),
    ("flags", ["-O3"]), ("flags", {}), ("flags", {"default": "-O3"}),
    ("flags", {"default": ["-O3"], "more": []}), ("counts", 1), ("profile", [1]),
    ("extends", "other"), ("extends", 1),
    ("select", 1), ("ignore", [1]), ("min-gain", 0.9), ("min-gain", "0.9"), ("min-gain", "x"),
    ("min-time", "10"), ("min-time", 10), ("min-confidence", "sure"), ("fail-on", "hint"),
    ("policy", "both"), ("preview", "yes"), ("exclude", ["../x"]), ("exclude", "/x"),
    ("header-filter", 1), ("severity", {"RL101": "loud"}), ("severity", "note"),
    ("per-file", {"old/**": ["RL1"]}), ("per-file", {"../x": {"ignore": []}}),
    ("per-file", {"old/**": {"ignored": []}}), ("machines", "cell"), ("cache-dir", "x"),
    ("measure", {"trusted": ["/"]}),
]  # fmt: skip


def toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def loads(key: str, value: object, folder: Path) -> bool:
    try:
        load_config(folder / "rooflint.toml", f"{key} = {toml(value)}\n")
    except ConfigurationError:
        return False
    return True


def name(value: object) -> str:
    return re.sub(r"[^\w.>=-]+", "_", json.dumps(value))


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft7Validator.check_schema(VALIDATOR.schema)


def test_it_has_every_key() -> None:
    assert set(configuration_schema()["properties"]) == set(KEYS)


@pytest.mark.parametrize(("key", "value"), RIGHT, ids=name)
def test_both_accept_what_is_right(key: str, value: object, tmp_path: Path) -> None:
    assert VALIDATOR.is_valid({key: value})
    assert loads(key, value, tmp_path)


@pytest.mark.parametrize(("key", "value"), WRONG, ids=name)
def test_both_refuse_what_is_wrong(key: str, value: object, tmp_path: Path) -> None:
    assert not VALIDATOR.is_valid({key: value})
    assert not loads(key, value, tmp_path)


def test_every_key_is_tried_both_ways() -> None:
    assert {key for key, _ in RIGHT} == set(KEYS) - {"extends"}
    assert {key for key, _ in WRONG} >= set(KEYS)


def test_the_schema_takes_times_as_they_are_printed() -> None:
    assert VALIDATOR.is_valid({"min-time": time_text(MIN_TIME_S)})


def test_the_extension_has_the_schemas_of_the_program(request: pytest.FixtureRequest) -> None:
    machines = (ROOT / "machines" / "schema.json").read_text(encoding="utf-8")
    own = json.dumps(configuration_schema(), indent=2, ensure_ascii=False) + "\n"
    for file, text in (("machine.schema.json", machines), ("rooflint.schema.json", own)):
        if request.config.getoption("--update-golden"):
            EXTENSION.mkdir(exist_ok=True)
            (EXTENSION / file).write_text(text, encoding="utf-8")
        assert (EXTENSION / file).read_text(encoding="utf-8") == text
    manifest = json.loads((EXTENSION.parent / "package.json").read_text(encoding="utf-8"))
    (tables,) = manifest["contributes"]["tomlValidation"]
    assert tables["fileMatch"] == ["rooflint.toml", ".rooflint.toml"]
    assert tables["url"].endswith("/editors/vscode/schemas/rooflint.schema.json")
    (mappings,) = manifest["contributes"]["yamlValidation"]
    assert (EXTENSION.parent / mappings["url"]).is_file()
