"""Plugins and this program's own bugs: said by name, exit code 70, the rest done."""

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest
from rooflint.cli import main as cli
from rooflint.plugin_api.hookspecs import Needs, hookimpl
from rooflint.registry import Registry, load_registry

Rooflint = Callable[..., tuple[int, str, str]]


class Broken:
    name = "broken"
    needs = Needs()

    def predict(self, kernel: object, context: object) -> None:
        raise ZeroDivisionError("of all things")


class BrokenPlugin:
    @hookimpl
    def rooflint_models(self) -> list[Broken]:
        return [Broken()]


class WorsePlugin:
    @hookimpl
    def rooflint_models(self) -> list[Broken]:
        raise RuntimeError("no licence")


def with_plugin(monkeypatch: pytest.MonkeyPatch, plugin: object) -> None:
    def load(built_in: Mapping[str, object]) -> Registry:
        return load_registry({"stranger": plugin}, search_path=(), built_in=built_in)

    monkeypatch.setattr("rooflint.registry.load_registry", load)


@pytest.mark.usefixtures("triad")
def test_a_model_that_raises(rooflint: Rooflint, monkeypatch: pytest.MonkeyPatch) -> None:
    with_plugin(monkeypatch, BrokenPlugin())
    code, out, err = rooflint("analyze", "triad.c")
    assert code == 70
    assert err == (
        "analyze: model 'broken' failed on triad.c:3: ZeroDivisionError: of all things\n"
    )
    assert "broken      failed: ZeroDivisionError" in out
    assert "cy per iteration" in out


@pytest.mark.usefixtures("triad")
def test_a_plugin_that_does_not_load(rooflint: Rooflint, monkeypatch: pytest.MonkeyPatch) -> None:
    with_plugin(monkeypatch, WorsePlugin())
    code, out, err = rooflint("analyze", "triad.c")
    assert code == 70
    assert "plugin 'stranger'" in err
    assert "no licence" in err
    assert "cy per iteration" in out


@pytest.mark.usefixtures("triad")
def test_a_plugin_with_a_misspelt_hook(rooflint: Rooflint, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin = SimpleNamespace(rooflint_model=hookimpl(lambda: []))
    with_plugin(monkeypatch, plugin)
    code, _, err = rooflint("analyze", "triad.c")
    assert code == 70
    assert "rooflint_model" in err


def test_a_bug_in_a_command(rooflint: Rooflint, monkeypatch: pytest.MonkeyPatch) -> None:
    def bug(*_: object) -> int:
        raise KeyError("oops")

    monkeypatch.setattr(cli, "_dispatch", bug)
    code, out, err = rooflint("analyze", "a file.c")
    assert (code, out) == (70, "")
    assert err.startswith("analyze: internal error: KeyError: 'oops' at test_failures.py:")
    assert err.endswith("ROOFLINT_DEBUG=1 rooflint analyze 'a file.c'\n")


def test_as_a_module(triad: Path) -> None:
    command = [sys.executable, "-m", "rooflint", "analyze", triad.name]
    result = subprocess.run(command, capture_output=True, check=True, text=True)
    assert "triad.c:3 triad" in result.stdout
