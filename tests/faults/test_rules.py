"""Rules that raise, loop or hand over nonsense: said by name, the findings of others stay."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

import pytest
from rooflint.cli.main import run
from rooflint.plugin_api.hookspecs import hookimpl
from rooflint.plugin_api.rule import Change, Guard, Match
from rooflint.plugin_api.transforms import Result
from rooflint.registry import Registry, load_registry

SOURCE = """void mm(int n, double *restrict C, const double *restrict A, const double *restrict B) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double c = 0;
      for (int k = 0; k < n; k++)
        c += A[i * n + k] * B[k * n + j];
      C[i * n + j] = c;
    }
}
"""
OPTIONS = ("--machine", "icelake-sp-8360y", "-D", "n=4000")
FLAGS = ("-O3", "-march=icelake-server")


class GuestRule:
    """A rule of another distribution."""

    code, slug, summary, status = "RL990", "guest", "a guest", "stable"
    aliases, needs, models = (), (), ("ecm",)

    def __init__(self, found: Callable[[], Iterable[Match]], *guards: Guard) -> None:
        self.found = found
        self.guards = guards

    def match(self, context: object) -> Iterable[Match]:
        return self.found()


def one(*changes: object, **fields: object) -> Callable[[], Iterable[Match]]:
    usual: dict[str, Any] = {"place": "i", "evidence": "e", "changes": changes}
    return lambda: [Match(**{**usual, **fields})]


def raising(*arguments: object) -> NoReturn:
    raise ZeroDivisionError("of all things")


def endless() -> Iterator[Match]:
    match = Match("i", "e")
    while True:  # slowly: what is asked for is time of the processor, not memory
        begin = time.process_time()
        while time.process_time() < begin + 0.001:
            pass
        yield match


def leaving() -> Iterator[Match]:
    raise SystemExit(3)


def changed(function: object) -> Result:
    return "nonsense"  # type: ignore[return-value]


RAISED = "ZeroDivisionError: of all things"
CASES: Mapping[str, tuple[GuestRule, str]] = {
    "match": (GuestRule(raising), RAISED),
    "leaves": (GuestRule(leaving), "SystemExit"),
    "guard": (GuestRule(one(), Guard("g", "s", raising)), RAISED),
    "apply": (GuestRule(one(Change("w", raising))), RAISED),
    "seconds": (GuestRule(one(Change("w", seconds=raising))), RAISED),
    "nothing": (GuestRule(lambda: None), "TypeError"),  # type: ignore[arg-type, return-value]
    "no match": (GuestRule(lambda: [7]), "int"),  # type: ignore[list-item]
    "evidence": (GuestRule(one(evidence=7)), "evidence"),
    "place": (GuestRule(one(place="nowhere")), "nowhere"),
    "changes": (GuestRule(one(5)), "int"),
    "result": (GuestRule(one(Change("w", changed))), "str"),
}  # fmt: skip


class Plugin:
    """Brings the rule."""

    def __init__(self, rule: GuestRule) -> None:
        self.rule = rule

    @hookimpl
    def rooflint_rules(self) -> list[GuestRule]:
        return [self.rule]


Lint = Callable[..., tuple[int, str, str]]


@pytest.fixture
def lint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Lint:
    """Exit code and output with one more rule."""
    monkeypatch.chdir(tmp_path)
    Path("k.c").write_text(SOURCE)

    def ran(rule: GuestRule, *options: str, select: str = "RL102,RL990") -> tuple[int, str, str]:
        def load(plugins: Mapping[str, object] | None = None) -> Registry:
            return load_registry({**(plugins or {}), "stranger": Plugin(rule)}, search_path=())

        monkeypatch.setattr("rooflint.cli.lint.run.load_registry", load)
        code = run(["lint", "k.c", *OPTIONS, "--select", select, *options, "--", *FLAGS])
        return code, *capsys.readouterr()

    return ran


@pytest.mark.parametrize("name", CASES)
def test_a_rule_costs_itself(lint: Lint, name: str) -> None:
    rule, reason = CASES[name]
    code, out, err = lint(rule)
    assert "[RL102]" in out
    assert code == 70, err
    assert "RL990" in err
    assert reason in err
    assert "Traceback" not in err


def test_a_rule_without_end_costs_the_file(lint: Lint) -> None:
    code, _, err = lint(GuestRule(endless), "--file-seconds", "1")
    assert "k.c: not analysed: took longer than 1 s in" in err
    assert code == 3


def test_a_rule_that_lacks_something_is_named(lint: Lint) -> None:
    class Half:
        code = "RL990"

    code, out, err = lint(Half(), select="RL102")
    assert "rule RL990 of tests.faults.test_rules: no slug, summary" in err
    assert (code, "[RL102]" in out) == (70, True)
