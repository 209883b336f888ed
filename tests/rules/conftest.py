"""One rule, or all of them, on a piece of C: what they find, and what their guards keep silent."""

import shlex
from collections.abc import Callable, Sequence
from importlib import import_module

import pytest
from rooflint.analysis.bench import Bench
from rooflint.analysis.compilers import compiler_of
from rooflint.analysis.machines import machine_named
from rooflint.analysis.on_machine import OnMachine, Subject
from rooflint.comments import parse_comments
from rooflint.editing import Text
from rooflint.facts import facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.flag_reader import read_flags
from rooflint.frontend.request import Request
from rooflint.ir import Unit
from rooflint.lint.context import FileContext, FunctionContext
from rooflint.lint.functions import FunctionLint, Outcome
from rooflint.lint.places import Places
from rooflint.lint.proposals import Proposed
from rooflint.lint.settings import Settings
from rooflint.machine import builtin_dir
from rooflint.registry import load_registry, with_requested
from rooflint.rule import UnitRule
from rooflint.sizes import Given
from rooflint_plugins.rules import modules

MACHINE = "icelake-sp-8360y"


@pytest.fixture(scope="session")
def benches() -> Callable[[str, Sequence[str]], tuple[Bench, Unit]]:
    """A text as the front end sees it under a command line, and what it is measured with."""
    models = with_requested(load_registry(), ("ecm", "bounds", "hybrid", "roofline")).models

    def make(text: str, command: Sequence[str], machine: str = MACHINE) -> tuple[Bench, Unit]:
        flags = read_flags(command, "/", "/page.c")
        unit = extract(Request("/page.c", flags, text.encode()))
        bench = Bench(
            machines=(machine_named(machine, (builtin_dir(),)),),
            models=models,
            shown=frozenset(model.name for model in models),
            sizes=Given("command line", {}),
            configured=Given("configuration", {}),
            cores=None,
            configured_cores=None,
            rates={},
            compiler=compiler_of(flags.code),
        )
        return bench, unit

    return make


@pytest.fixture(scope="session")
def lint(benches: Callable[..., tuple[Bench, Unit]]) -> Callable[..., Outcome]:
    """``lint("RL202", text, "gcc -O3")``: the outcomes of all functions of the text together."""
    rules = {path.rpartition(".")[2][:5].upper(): import_module(path).RULE for path in modules()}

    def run(
        code: str, text: str, flags: str, machine: str = MACHINE, structural: bool = False
    ) -> Outcome:
        bench, unit = benches(text, shlex.split(flags), machine)
        scopes = parse_comments(unit.comments)
        text_of_file = unit.text or text
        contexts: list[FunctionContext] = []
        for source in unit.functions:
            facts = facts_of(source.function)
            scope = scopes.scope(source.span)
            given = (Given("comment", scope.sizes, scope.trips),)
            on = OnMachine(Subject(source, facts, given, scope.threads), bench, bench.machines[0])
            contexts.append(FunctionContext(on, scope.noalias, text_of_file))
        rule = rules[code]
        settings = Settings(frozenset((code,)), min_time_s=0.0, structural=structural)
        across = (
            rule.match_unit(FileContext(unit, tuple(contexts)))
            if isinstance(rule, UnitRule)
            else ()
        )
        matched = list(across)
        found = Outcome()
        for context in contexts:
            places = Places(context.source, Text(text_of_file))
            more = [Proposed(rule, m.match, context) for m in matched if m.where is context]
            one = FunctionLint(context, [rule], settings, places).outcome(more)
            found = Outcome(
                (*found.findings, *one.findings),
                (*found.silent, *one.silent),
                (*found.failures, *one.failures),
            )
        assert not found.failures, found.failures
        return found

    return run
