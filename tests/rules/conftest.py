"""One rule, or all of them, on a piece of C: what they find, and what their guards keep silent."""

import shlex
from collections.abc import Callable, Sequence
from importlib import import_module

import pytest
from rooflint.compile_flags.flag_reader import read_flags
from rooflint.config.lint_settings import LintSettings
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Unit
from rooflint.lint.files import lint_unit
from rooflint.lint.functions import LintOutcome
from rooflint.machine import builtin_dir
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.pipeline.setup.compilers import compiler_of
from rooflint.pipeline.setup.machines import machine_named
from rooflint.registry import load_registry, with_requested
from rooflint.scenario.sizes import SizeLayer
from rooflint_plugins.rules import modules

MACHINE = "icelake-sp-8360y"


@pytest.fixture(scope="session")
def benches() -> Callable[[str, Sequence[str]], tuple[AnalysisSetup, Unit]]:
    """A text as the front end sees it under a command line, and what it is measured with."""
    models = with_requested(load_registry(), ("ecm", "bounds", "hybrid", "roofline")).models

    def make(
        text: str, command: Sequence[str], machine: str = MACHINE
    ) -> tuple[AnalysisSetup, Unit]:
        flags = read_flags(command, "/", "/page.c")
        unit = extract(Request("/page.c", flags, text.encode()))
        bench = AnalysisSetup(
            machines=(machine_named(machine, (builtin_dir(),)),),
            models=models,
            shown=frozenset(model.name for model in models),
            sizes=SizeLayer("command line", {}),
            configured=SizeLayer("configuration", {}),
            cores=None,
            configured_cores=None,
            rates={},
            compiler=compiler_of(flags.code),
        )
        return bench, unit

    return make


@pytest.fixture(scope="session")
def lint(benches: Callable[..., tuple[AnalysisSetup, Unit]]) -> Callable[..., LintOutcome]:
    """``lint("RL202", text, "gcc -O3")``: the outcomes of all functions of the text together."""
    rules = {path.rpartition(".")[2][:5].upper(): import_module(path).RULE for path in modules()}

    def run(
        code: str, text: str, flags: str, machine: str = MACHINE, structural: bool = False
    ) -> LintOutcome:
        bench, unit = benches(text, shlex.split(flags), machine)
        settings = LintSettings(frozenset((code,)), min_time_s=0.0, structural=structural)
        bench = bench._replace(rules=(rules[code],), lint=settings)
        result = lint_unit("/page.c", unit._replace(text=unit.text or text), bench)
        assert not result.internal, result.internal
        return LintOutcome(result.report.findings, result.report.silent)

    return run
