"""From a hand-made unit to a file's report, without clang."""

from types import ModuleType
from typing import Any

import pytest
from msgspec.structs import force_setattr
from rooflint.facts import facts_of
from rooflint.ir import (
    Comment,
    Diagnostic,
    Function,
    Loop,
    Reason,
    Refusal,
    SourceFunction,
    Span,
    Unit,
    walk,
)
from rooflint.pipeline.files import FileResult, analyse_unit, failed_models
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.pipeline.setup.options import Options
from rooflint.pipeline.setup.resolver import SetupResolver
from rooflint.plugin_api.hookspecs import Context, Model, Needs
from rooflint.plugin_api.prediction import NotApplicable, Prediction
from rooflint.registry import Registry


class Fine:
    name = "fine"
    needs = Needs()

    def predict(self, kernel: object, context: Context) -> Prediction | NotApplicable:
        if not context.facts.work.flops:
            return NotApplicable("no flops")
        cycles = context.facts.work.flops / context.cores
        return Prediction(self.name, "compute", "it computes", "1 flop", cycles)


class Broken:
    name = "broken"
    needs = Needs()

    def predict(self, kernel: object, context: Context) -> Prediction | NotApplicable:
        raise ZeroDivisionError("of all things")


def bench(*models: Model, **options: Any) -> AnalysisSetup:  # noqa: ANN401 - any field of Options
    registry = Registry(models=models or (Fine(),))
    return SetupResolver(Options(machines=("generic-2level",), **options), registry).setup_for(
        "x.c"
    )


def unit(*functions: Function, **fields: Any) -> Unit:  # noqa: ANN401 - any field of Unit
    """Functions of ten lines from 1, 11, 21, ...; their loops stand on lines 2, 3, ... of them."""
    placed = []
    for number, function in enumerate(functions):
        first = 10 * number + 1
        loops = [node for node in walk(function.body) if isinstance(node, Loop)]
        spans = tuple(Span(first + 1 + k, 5, first + 8, 6) for k in range(len(loops)))
        for k, loop in enumerate(loops):
            force_setattr(loop, "origin", k)
        placed.append(SourceFunction(function, Span(first, 1, first + 9, 2), spans))
    loops_seen = sum(len(source.spans) for source in placed)
    return Unit("x.c", "c", tuple(placed), **{"loops": loops_seen, **fields})


@pytest.fixture
def scale(build: ModuleType) -> Function:
    """``for i < n: for j < m: a[i][j] = 2*a[i][j]``."""
    a = build.array("a", "f64", None, "m")
    body = a["i", "j"].set(a["i", "j"] * 2.0)
    nest = build.loop("i", 0, "n", build.loop("j", 0, "m", body))
    found: Function = build.function("scale", [a], nest)
    return found


def run(source: Unit, where: AnalysisSetup) -> FileResult:
    return analyse_unit("src/x.c", source, where)


def test_places_trips_and_totals(scale: Function) -> None:
    result = run(unit(scale), bench(sizes={"n": 10, "m": 64}, entry="cold"))
    (function,) = result.report.functions
    (nest,) = function.nests
    (kernel,) = nest.kernels
    assert (function.name, function.line, nest.line, kernel.line, kernel.column) == (
        "scale",
        1,
        2,
        3,
        5,
    )
    assert [(loop.index, loop.line, loop.trip_count) for loop in kernel.loops] == [
        ("i", 2, "n"),
        ("j", 3, "m"),
    ]
    (answer,) = kernel.results
    assert answer.trips == (10.0, 64.0)
    assert {name: (size.value, size.origin) for name, size in answer.sizes.items()} == {
        "n": (10, "command line"),
        "m": (64, "command line"),
    }
    # one multiplication an iteration; 640 doubles are 80 lines of 64 B, loaded and evicted
    (totals,) = function.totals
    assert totals.flops == 640
    memory = totals.traffic[-1]
    assert (memory.load_lines, memory.write_allocate_lines, memory.evict_lines) == (80, 0, 80)
    assert result.summary == (2, 2, {})


def test_a_model_that_raises_costs_its_own_answer(scale: Function) -> None:
    result = run(unit(scale), bench(Broken(), Fine()))
    kernel = result.report.functions[0].nests[0].kernels[0]
    (answer,) = kernel.results
    assert [prediction.model for prediction in answer.predictions] == ["fine"]
    assert [(s.model, s.failed) for s in answer.skipped] == [("broken", True)]
    assert list(failed_models([result.report])) == [
        "model 'broken' failed on src/x.c:3: ZeroDivisionError: of all things"
    ]
    assert not result.internal


def test_a_function_that_a_bug_strikes_costs_itself(
    scale: Function, build: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails_on_bad(function: Function) -> object:
        if function.name == "bad":
            raise KeyError("oops")
        return facts_of(function)

    monkeypatch.setattr("rooflint.pipeline.functions.facts_of", fails_on_bad)
    a = build.array("a", "f64", None)
    bad = build.function("bad", [a], build.loop("i", 0, "n", a["i"].set(a["i"] * 2.0)))
    result = run(unit(bad, scale), bench())
    assert [function.name for function in result.report.functions] == ["scale"]
    (line,) = result.internal
    assert line.startswith("src/x.c:1: internal error in bad: KeyError: 'oops' (test_files.py:")
    assert result.report.status == "partial"
    assert result.report.diagnostics[0].severity == "error"
    assert result.summary == (3, 2, {"internal-error": 1})


def test_ids_are_unique_and_survive_line_shifts(scale: Function) -> None:
    twice = unit(scale, scale)
    ids = [f.nests[0].kernels[0].id for f in run(twice, bench()).report.functions]
    assert ids == ["src/x.c:scale/i.j", "src/x.c:scale/i.j#2"]


def test_refusals_are_counted_by_reason(scale: Function) -> None:
    refusals = tuple(
        Refusal(line, 1, Reason("uncompiled-here", (f"while (p{line})",))) for line in (30, 20)
    )
    result = run(unit(scale, refusals=refusals, loops=4), bench())
    assert result.summary == (4, 2, {"uncompiled-here": 2})
    assert [refusal.line for refusal in result.report.refusals] == [20, 30]
    assert result.report.status == "partial"


def test_a_bug_in_the_front_end_counts_as_one(scale: Function) -> None:
    bug = Diagnostic(7, 1, "error", "internal: KeyError: 3", "internal")
    result = run(unit(scale, diagnostics=(bug,)), bench())
    assert result.internal == ("src/x.c:7: internal: KeyError: 3",)


def test_comments_reach_the_sizes_and_typos_are_said(scale: Function) -> None:
    comments = (Comment(1, "n=5"), Comment(2, "trip(j=7)"), Comment(2, "mm=3"), Comment(3, "N=4"))
    result = run(unit(scale, comments=comments), bench())
    sizes = result.report.functions[0].nests[0].kernels[0].results[0].sizes
    assert {name: (size.value, size.origin) for name, size in sizes.items()} == {
        "n": (5, "comment"),
        "m": (7, "comment"),
    }
    assert [d.message for d in result.report.diagnostics] == [
        "rooflint comment: no loop has a size 'mm'; did you mean 'm'?",
        "rooflint comment: no loop has a size 'N'",
    ]


def test_what_an_extent_tells_in_one_nest_holds_in_the_other(build: ModuleType) -> None:
    # a[100] bounds n where i < n indexes it; the second nest, which counts down, says nothing
    a, b = build.array("a", "f64", 100), build.array("b", "f64", None)
    up = build.loop("i", 0, "n", a["i"].set(a["i"] * 2.0))
    down = build.loop("i", "n - 1", -1, b["i"].set(b["i"] * 2.0), step=-1)
    report = run(unit(build.function("both", [a, b], up, down)), bench()).report
    sizes = [nest.kernels[0].results[0].sizes["n"] for nest in report.functions[0].nests]
    assert [(size.value, size.origin) for size in sizes] == [(100, "source"), (100, "source")]


def test_sizes_are_known_to_the_run(scale: Function) -> None:
    assert run(unit(scale), bench()).names == {"n", "m", "i", "j"}


def test_only_the_models_asked_for(scale: Function) -> None:
    class Needy(Fine):
        name = "needy"
        needs = Needs(models=("fine",))

    answer = (
        run(unit(scale), bench(Fine(), Needy(), Broken(), models=("needy",)))
        .report.functions[0]
        .nests[0]
        .kernels[0]
        .results[0]
    )
    assert [prediction.model for prediction in answer.predictions] == ["needy"]
    assert answer.skipped == ()
