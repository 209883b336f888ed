"""Kernels ranked over a program: executions count, and code without a prediction has its share."""

from pathlib import Path

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.request import Request
from rooflint.ir.equations import Equations
from rooflint.ir.unit import Span
from rooflint.pipeline import Analysis, Options
from rooflint.pipeline.front_end import equations_of
from rooflint.pipeline.ranking import ranked_kernels, top_kernels_of_program
from rooflint.pipeline.sources import Source
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.report import (
    FileReport,
    FunctionReport,
    KernelReport,
    MachineResult,
    NestReport,
    Report,
    Summary,
    WorkReport,
)
from rooflint.program.linking import link_files
from rooflint.program.weights import ProgramWeights, WeighedLoop, Weight, program_weights
from rooflint.registry import load_registry

PATH = "x.c"


def kernel(line: int, cycles: float | None, *trips: float) -> KernelReport:
    prediction = Prediction("m", "compute", "s", "h", cycles)
    result = MachineResult("toy", 1, "", {}, trips, (), (prediction,))
    work = WorkReport("f64", 1.0, {}, 0.0, 0.0)
    return KernelReport(f"k{line}", line, 1, True, (), work, (), (result,))


def report(*kernels: KernelReport) -> Report:
    nests = tuple(NestReport(1, 1, (each,)) for each in kernels)
    file = FileReport(PATH, "ok", (FunctionReport("f", 1, 1, nests, ()),))
    return Report("0", (), (file,), Summary(len(kernels), len(kernels)))


def loop(line: int, iterations: float, operators: float) -> WeighedLoop:
    return WeighedLoop(
        path=PATH,
        span=Span(line, 1, line + 1, 2),
        weight=Weight(executions=1, share=0),
        iterations=iterations,
        operators=operators,
    )


def test_executions_outweigh_trips() -> None:
    # by itself the first is the longer one; the second is called a thousand times
    shown = report(kernel(1, 2, 1000), kernel(5, 3, 10))
    weights = ProgramWeights((), (loop(1, 1000, 1000), loop(5, 10_000, 10_000)), 11_000)
    first, second = ranked_kernels(shown, weights)
    assert (first.kernel.line, first.cycles, first.iterations) == (5, 30_000, 10_000)
    assert (second.kernel.line, second.cycles) == (1, 2_000)
    assert first.weight.share == 30_000 / 32_000
    top = top_kernels_of_program(shown, weights, 1)
    assert [each.line for each in top.files[0].kernels()] == [5]


def test_code_without_a_prediction_costs_what_predicted_operators_do() -> None:
    # two cycles an operator; 500 operators of a kernel without a number, 500 outside of kernels
    shown = report(kernel(1, 2, 1000), kernel(5, None, 10))
    weights = ProgramWeights((), (loop(1, 1000, 1000), loop(5, 10, 500)), 2_000)
    predicted, open_ = ranked_kernels(shown, weights)
    assert (predicted.weight.share, open_.weight.share) == (0.5, 0.25)
    assert open_.cycles is None


def test_kernel_that_callers_inline_counts_once() -> None:
    shown = report(kernel(1, 2, 10), kernel(1, 2, 10))
    weights = ProgramWeights((), (loop(1, 10, 10),), 10)
    (only,) = ranked_kernels(shown, weights)
    assert only.weight.share == 1


def test_kernels_that_the_program_does_not_have_are_left_out() -> None:
    assert ranked_kernels(report(kernel(1, 2, 10)), ProgramWeights((), (), 0)) == []


def test_program_of_two_files(tmp_path: Path) -> None:
    callee, caller = tmp_path / "f.c", tmp_path / "m.c"
    callee.write_text(
        "void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] = 2 * a[i] + 1; }\n"
    )
    caller.write_text(
        "void f(double *, int); double a[9000];\n"
        "int main(void) {\n"
        " for (int i = 0; i < 9000; i++) a[i] = 3 * a[i] + 1;\n"
        " for (int t = 0; t < 5000; t++) f(a, 300);\n"
        "}\n"
    )
    paths = [str(callee), str(caller)]
    analysis = Analysis(Options(cache_dir="", jobs=1), load_registry())
    list(analysis.files([Source(path) for path in paths]))
    read = [answer for _, answer in equations_of([Request(path, Flags("c")) for path in paths])]
    weights = program_weights(link_files([each for each in read if isinstance(each, Equations)]))
    ranked = ranked_kernels(analysis.report(), weights)
    assert [(each.function, each.iterations) for each in ranked] == [
        ("f", 1_500_000), ("main", 9_000), ("main", 5_000),
    ]  # fmt: skip
    assert ranked[0].weight.share == pytest.approx(0.9, abs=0.08)
