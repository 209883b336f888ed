"""Findings of one rule on a text."""

import shlex
from collections.abc import Callable
from importlib import import_module

import pytest
from rooflint.compile_flags.flag_reader import read_flags
from rooflint.config.lint_settings import LintSettings
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.lint.files import lint_unit
from rooflint.machine import builtin_dir
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.pipeline.setup.compilers import compiler_of
from rooflint.pipeline.setup.machines import machine_named
from rooflint.plugin_api.advice import Advice
from rooflint.registry import load_registry, with_requested
from rooflint.scenario.sizes import SizeLayer
from rooflint_plugins.rules import modules

COMMANDS = {"c": "gcc -std=gnu17", "c++": "g++ -std=c++17"}
PATHS = {"c": "/page.c", "c++": "/page.cpp"}
RULES = {path.rpartition(".")[2][:5].upper(): import_module(path).RULE for path in modules()}


@pytest.fixture(scope="session")
def lint() -> Callable[..., list[Advice]]:
    """``lint("RL401", "c", text)``: its findings, whatever they bring."""
    models = with_requested(load_registry(), ("ecm", "bounds", "hybrid", "roofline")).models

    def run(
        code: str,
        language: str,
        text: str,
        flags: str = "-O3 -march=icelake-server",
        machine: str = "icelake-sp-8360y",
    ) -> list[Advice]:
        path = PATHS[language]
        read = read_flags(shlex.split(f"{COMMANDS[language]} {flags}"), "/", path)
        unit = extract(Request(path, read, text.encode()))
        bench = AnalysisSetup(
            machines=(machine_named(machine, (builtin_dir(),)),),
            models=models,
            shown=frozenset(model.name for model in models),
            sizes=SizeLayer("command line", {}),
            configured=SizeLayer("configuration", {}),
            cores=None,
            configured_cores=None,
            rates={},
            compiler=compiler_of(read.code),
            rules=(RULES[code],),
            lint=LintSettings(frozenset((code,)), min_time_s=0.0, min_gain=1.01),
        )
        result = lint_unit(path, unit._replace(text=unit.text or text), bench)
        assert not result.internal, result.internal
        return list(result.report.findings)

    return run
