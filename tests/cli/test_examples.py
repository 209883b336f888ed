"""The main job on ``examples/``, as ``make demo`` runs it, word for word."""

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

Rooflint = Callable[..., tuple[int, str, str]]
Golden = Callable[[str, str], None]


@pytest.fixture(autouse=True)
def in_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])


def test_text(rooflint: Rooflint, golden: Golden) -> None:
    code, out, err = rooflint("analyze", "examples", "--machine", "cell")
    assert (code, err) == (0, "")
    golden("examples.txt", out)


def test_advice(rooflint: Rooflint, golden: Golden) -> None:
    code, out, err = rooflint("lint", "examples", "--format", "full", "--fail-on", "never")
    assert (code, err) == (0, "rooflint lint: Found 2 findings in 6 files, 2 to act on\n")
    golden("advice.txt", out)


def test_json(rooflint: Rooflint, golden: Golden) -> None:
    # arrays that no cache holds, so that traffic goes all the way
    functions = ("triad", "triad_parallel", "drift", "total_mass")
    sizes = [f"{function}:n=1e7" for function in functions]
    sizes += ["matmul:n=1800", "rows=1e6", "x.size()=1e7", "steps=100"]
    arguments = ["--machine", "sandybridge-ep-e5-2680", "--machine", "cell", "--format", "json"]
    arguments += [argument for size in sizes for argument in ("-D", size)]
    code, out, err = rooflint("analyze", "examples", *arguments)
    assert (code, err) == (0, "")
    schema = json.loads((files("rooflint.render") / "report.schema.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(json.loads(out))
    golden("examples.json", out)
