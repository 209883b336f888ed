"""Kernels ranked over a program: executions count, and code without a prediction has its share."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from rooflint.compile_flags.sources import Source
from rooflint.ir.unit import Span
from rooflint.pipeline import Analysis, Options
from rooflint.pipeline.ranking import top_kernels
from rooflint.pipeline.weights import run_program
from rooflint.pipeline.weights.basis import WeighedFile, weighed_basis
from rooflint.pipeline.weights.program_times import ProgramTimes
from rooflint.pipeline.weights.reports import weighed_files
from rooflint.pipeline.weights.run_program import RunProgram
from rooflint.plugin_api.advice import Advice, Gain, Numbers
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.report import (
    FileReport,
    FunctionReport,
    KernelReport,
    LoopWeight,
    MachineResult,
    NestReport,
    Report,
    Summary,
    WorkReport,
)
from rooflint.plugin_api.verdict import Verdict
from rooflint.program.call_graph import CallGraph, ProgramCall
from rooflint.program.callees.function_table import ProgramFunction
from rooflint.program.executions import ProgramRuns
from rooflint.program.weights import FunctionWeight, ProgramWeights, WeighedLoop, Weight
from rooflint.registry import load_registry
from rooflint.scenario.sizes import SizeLayer
from rooflint.verdict.steps import with_verdicts

PATH = "x.c"


def kernel(line: int, cycles: float | None, *trips: float) -> KernelReport:
    prediction = Prediction("m", "compute", "s", "h", cycles)
    result = MachineResult("toy", 1, "", {}, trips, (), (prediction,))
    work = WorkReport("f64", 1.0, {}, 0.0, 0.0)
    return KernelReport(f"k{line}", line, 1, True, (), work, (), (result,))


def report(*kernels: KernelReport) -> Report:
    nests = tuple(NestReport(1, 1, (each,)) for each in kernels)
    function = FunctionReport("main", 1, 1, nests, (), end_line=40)
    file = FileReport(PATH, "ok", (function,))
    return Report("0", (), (file,), Summary(len(kernels), len(kernels)))


def loop(
    line: int, iterations: float, operators: float, callees: float = 0, loopless: float = 0
) -> WeighedLoop:
    return WeighedLoop(
        path=PATH,
        span=Span(line, 1, line + 1, 2),
        function=0,
        weight=Weight(executions=1, share=0),
        iterations=iterations,
        operators=operators,
        callees=callees,
        loopless=loopless,
    )


def program(operators: float, *loops: WeighedLoop, reached: bool = True) -> ProgramWeights:
    """One function ``main`` with these loops."""
    main = ProgramFunction(
        key="main", name="main", path=PATH, file=0, span=Span(1, 1, 99, 2), entry=True
    )
    weight = FunctionWeight(
        function=main,
        weight=Weight(1, 1),
        operators=operators,
        accessor=False,
        reached=reached,
    )
    return ProgramWeights((weight,), loops, ProgramRuns(CallGraph((main,), (), ())))


def shares(shown: Report, weights: ProgramWeights) -> list[float | None]:
    (file,) = weighed_files(shown.files, ProgramTimes(map(weighed_basis, shown.files), weights))
    return [each.weight.share if each.weight else None for each in file.kernels()]


def test_share_is_that_of_the_predicted_time() -> None:
    # 4000 and 1000 cycles, and 1000 operators outside of loops, 2 cycles each: one kernel has 2,
    # the other 0.5, the upper median counts
    shown = report(kernel(1, 4, 1000), kernel(5, 1, 1000))
    weights = program(5000, loop(1, 1000, 2000), loop(5, 1000, 2000))
    assert shares(shown, weights) == pytest.approx([4 / 7, 1 / 7])


def test_iterations_are_those_of_the_run() -> None:
    # by itself the first is the longer one; the second is called a thousand times
    shown = report(kernel(1, 1, 1000), kernel(5, 1, 10))
    weights = program(11_000, loop(1, 1000, 1000), loop(5, 10_000, 10_000))
    (file,) = weighed_files(shown.files, ProgramTimes(map(weighed_basis, shown.files), weights))
    first, second = file.kernels()
    assert first.weight == LoopWeight(
        executions=1,
        iterations=1000,
        origin="static",
        share=1 / 11,
        share_origin="static",
        cycles=1000,
    )
    assert second.weight is not None
    assert second.weight.share == 10 / 11
    top = top_kernels(shown._replace(files=(file,)), 1)
    assert [each.line for each in top.files[0].kernels()] == [5]


def test_code_without_a_prediction_costs_what_predicted_operators_do() -> None:
    # two cycles an operator; 500 operators of a kernel without a number, 500 outside of kernels
    shown = report(kernel(1, 2, 1000), kernel(5, None, 10))
    weights = program(2000, loop(1, 1000, 1000), loop(5, 10, 500))
    assert shares(shown, weights) == [0.5, 0.25]


def test_prediction_of_a_loop_that_mostly_calls_is_its_own_in_part() -> None:
    # 100 of the second loop's 201 operators are its own, and so is that part of its 3000 cycles;
    # the run has them beside the 1000 of the first, while the function costs its operators
    shown = report(kernel(1, 1, 1000), kernel(5, 30, 100))
    weights = program(1100, loop(1, 1000, 1000), loop(5, 100, 100, callees=101))
    own = 3000 * 100 / 201
    assert shares(shown, weights) == pytest.approx([1000 / (1000 + own), own / (1000 + own)])


def test_prediction_of_a_loop_with_calls_is_shared_with_them() -> None:
    # as many operators of callees as of its own: half of the 800 cycles, which is what they cost
    shown = report(kernel(1, 1, 1000), kernel(5, 8, 100), kernel(9, 1, 10))
    weights = program(1410, loop(1, 1000, 1000), loop(5, 100, 400, callees=400), loop(9, 10, 10))
    assert shares(shown, weights) == pytest.approx([1000 / 1410, 400 / 1410, 10 / 1410])


@pytest.mark.parametrize(("called", "own"), [(15, 3000), (16, 200)])
def test_time_in_calls_of_itself_is_no_time_of_the_loop(called: float, own: float) -> None:
    # callees of a circle of calls count no operators; the second loop has 100, of two cycles each
    first, second = kernel(1, 2, 1000), kernel(5, 30, 100)
    (result,) = second.results
    second = second._replace(results=(result._replace(calls={"main": called}),))
    weights = program(1100, loop(1, 1000, 1000), loop(5, 100, 100))
    whole = 2000 + own
    assert shares(report(first, second), weights) == pytest.approx([2000 / whole, own / whole])


def test_time_in_calls_of_the_library_is_the_loops() -> None:
    first, second = kernel(1, 2, 1000), kernel(5, 30, 100)
    (result,) = second.results
    second = second._replace(results=(result._replace(calls={"printf": 29}),))
    weights = program(1100, loop(1, 1000, 1000), loop(5, 100, 100))
    assert shares(report(first, second), weights) == pytest.approx([0.4, 0.6])


@pytest.mark.parametrize("library", [0, 1500])
def test_a_functions_share_is_without_the_library_that_its_loops_call(library: int) -> None:
    # main's loop takes 2000 cycles, of which the library has so many, and the other's 1000
    first, second = kernel(1, 2, 1000), kernel(30, 1, 1000)
    (result,) = first.results
    first = first._replace(results=(result._replace(calls={"printf": library / 1000}),))
    shown = report(first, second)
    main, other = [
        ProgramFunction(key=name, name=name, path=PATH, file=0, span=span, entry=name == "main")
        for name, span in (("main", Span(1, 1, 20, 2)), ("other", Span(25, 1, 40, 2)))
    ]
    functions = [
        FunctionWeight(
            function=each, weight=Weight(1, 1), operators=1000, accessor=False, reached=True
        )
        for each in (main, other)
    ]
    call = ProgramCall(caller=0, callee=1, loop=-1, frequency=1.0, form="direct")
    runs = ProgramRuns(CallGraph((main, other), (call,), ()))
    loops = loop(1, 1000, 1000), loop(30, 1000, 1000)._replace(function=1)
    times = ProgramTimes(
        map(weighed_basis, shown.files), ProgramWeights(tuple(functions), loops, runs)
    )
    spent = 2000 - library
    assert times.function_share(0) == pytest.approx(spent / (spent + 1000))
    # the loop itself waits for the library
    assert times.loop_share(0) == pytest.approx(2000 / 3000)


UNROLLED = [(800, 3000 / 4000), (900, 3000 / 5500)]


@pytest.mark.parametrize(("iterations", "expected"), UNROLLED)
def test_loops_that_are_unrolled_away_are_time_of_the_loop_around(
    iterations: int, expected: float
) -> None:
    # 1000 and 3000 cycles, and a loop of 8 or 9 in the second that has no report: its 500
    # operators are the second's own, or 1500 cycles more
    shown = report(kernel(1, 2, 500), kernel(20, 30, 100))
    outer = loop(20, 100, 1000)._replace(span=Span(20, 1, 30, 2))
    inner = loop(22, iterations, 500)._replace(weight=Weight(executions=100, share=0))
    first = loop(1, 500, 500)
    assert shares(shown, program(2000, first, outer, inner))[1] == pytest.approx(expected)


def test_functions_without_a_loop_are_time_of_the_loop_that_calls_them() -> None:
    # an operator costs a cycle; main has 2000 of its own, and the second loop calls for 500 more
    shown = report(kernel(1, 1, 1000), kernel(5, None, 100))
    calling = loop(5, 100, 1000, callees=700, loopless=500)
    assert shares(shown, program(2000, loop(1, 1000, 1000), calling)) == [0.5, 0.75]


def on_cores(kernel: KernelReport, cores: int) -> KernelReport:
    return kernel._replace(results=(kernel.results[0]._replace(cores=cores),))


IN_TEAM = [(0.0, 2000), (1.0, 1000), (0.5, 1500)]


@pytest.mark.parametrize(("in_team", "spent"), IN_TEAM)
def test_code_without_a_prediction_takes_a_core_or_a_team(in_team: float, spent: float) -> None:
    # an operator costs two cycles on one core: 1000 of the serial loop, 2000 of the one on two;
    # the third loop has no number, and calls functions without a loop for as much again
    kernels = kernel(1, 2, 1000), on_cores(kernel(5, 2, 1000), 2), kernel(9, None, 10)
    last = loop(9, 10, 1000, callees=1000, loopless=1000)._replace(in_team=in_team)
    weights = program(4000, loop(1, 1000, 1000), loop(5, 1000, 2000), last)
    whole = 4000 + spent
    assert shares(report(*kernels), weights) == pytest.approx(
        [2000 / whole, 2000 / whole, 2 * spent / whole]
    )


def test_functions_that_a_team_calls_take_what_it_makes_of_them() -> None:
    kernels = kernel(1, 1, 1000), on_cores(kernel(5, 1, 1000), 4)
    weights = program(9000, loop(1, 1000, 1000), loop(5, 1000, 4000))
    (main,) = weights.functions
    # 4000 operators stand outside of loops
    assert shares(report(*kernels), weights) == pytest.approx([1 / 6, 1 / 6])
    team = weights._replace(functions=(main._replace(in_team=1.0),))
    assert shares(report(*kernels), team) == pytest.approx([1 / 3, 1 / 3])


def test_kernel_that_callers_inline_has_the_weight_of_its_own_function() -> None:
    shown = report(kernel(1, 2, 10))
    (file,) = shown.files
    (own,) = file.functions
    caller = own._replace(name="g", line=50, end_line=60)
    files = (file._replace(functions=(caller, own)),)
    assert shares(shown._replace(files=files), program(10, loop(1, 10, 10))) == [None, 1]


def test_kernels_that_the_program_does_not_reach_have_no_weight() -> None:
    shown = report(kernel(1, 2, 10))
    assert shares(shown, program(1)) == [None]
    assert shares(shown, program(10, loop(1, 10, 10), reached=False)) == [None]


CALLEE = "void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] = 2 * a[i] + 1; }\n"
CALLER = (
    "double a[9000];\n"
    "int main(void) {\n"
    " for (int i = 0; i < 9000; i++) a[i] = 3 * a[i] + 1;\n"
    " for (int t = 0; t < 5000; t++) f(a, 300);\n"
    "}\n"
)


def weights_of(*paths: Path) -> list[tuple[str, float | None, float | None]]:
    analysis = Analysis(Options(cache_dir="", jobs=1), load_registry())
    list(analysis.files([Source(str(path)) for path in paths]))
    report = analysis.report()
    return [
        (function.name, kernel.weight.iterations, kernel.weight.share)
        for file in report.files
        for function in file.functions
        for kernel in function.kernels()
        if kernel.weight is not None
    ]


def test_program_of_two_files_is_that_of_one(tmp_path: Path) -> None:
    callee, caller, whole = (tmp_path / name for name in ("f.c", "m.c", "all.c"))
    callee.write_text(CALLEE)
    caller.write_text("void f(double *, int);\n" + CALLER)
    whole.write_text(CALLEE + CALLER)
    found = weights_of(callee, caller)
    assert sorted(each[:2] for each in found) == [
        ("f", 1_500_000), ("main", 5_000), ("main", 9_000),
    ]  # fmt: skip
    assert max(found, key=lambda each: each[2] or 0)[0] == "f"
    assert sum(each[2] or 0 for each in found) == pytest.approx(1, abs=0.05)
    alone = weights_of(whole)  # where the call is inlined, and its loop no kernel of its own
    assert [each[:2] for each in alone] == [("f", 1_500_000), ("main", 9_000)]
    assert alone[0][2] == pytest.approx(found[0][2], rel=0.05)


TEAM = {
    "row.c": "void row(double *x) { for (int i = 0; i < 300; i++) x[i] = 2 * x[i] + 1; }",
    "step.c": "double a[90000], b[90000]; void row(double *);\n"
    "void step(void) {\n"
    "#pragma omp parallel for\n"
    " for (int j = 0; j < 300; j++) { row(a + 300 * j); b[j] = a[300 * j]; }\n"
    "}",
    "main.c": "double t, dt, end; void step(void); int main(void) {\n"
    " while (t < end) { step(); t += dt; }\n"
    "}",
}


def verdicts_of_team(folder: Path, cores: str | None) -> dict[str, Verdict]:
    for name, text in TEAM.items():
        (folder / name).write_text(text)
    options = Options(cache_dir="", jobs=1, machines=("skylake-sp-6148",), cores=cores)
    analysis = Analysis(options, load_registry())
    list(analysis.files([Source(str(folder / name)) for name in TEAM]))
    report = with_verdicts(analysis.report())
    return {each.place.function: each for each in report.verdicts}


def test_a_loop_and_all_that_it_calls_run_on_the_same_cores(tmp_path: Path) -> None:
    team, alone = (verdicts_of_team(tmp_path, cores) for cores in (None, "1"))
    cores = {name: verdict.cores for name, verdict in team.items()}
    assert cores == {"row": 20, "step": 20, "main": 1}
    assert {each.cores for each in alone.values()} == {1}
    assert team["main"].weight.executions == 1
    assert team["row"].weight.executions == 100 * 300
    for name in team:
        # all is in the parallel loop, and in what it calls
        before, after = alone[name].run_s, team[name].run_s
        assert before is not None
        assert after is not None
        assert after == pytest.approx(before / 20, rel=0.05)
        shares = [alone[name].weight.share, team[name].weight.share]
        assert shares[0] == pytest.approx(shares[1], abs=0.02)


FINDING = Advice(
    code="RL000", slug="rule", message="m", severity="note", span=Span(5, 1, 5, 20),
    function="main", loop="i", fingerprint="f", gain=Gain(2.0, 9.0),
    numbers=Numbers(
        model="m", before=2, after=1, unit="cy/it", saved_seconds=1e-6, share=0.5
    ),
)  # fmt: skip
LEAST = [(10, True), (9.9, False)]


@pytest.mark.parametrize(("operators", "shown"), LEAST)
def test_finding_of_cold_code_is_silent(operators: float, shown: bool) -> None:
    base = report(kernel(1, None, 1))
    (file,) = base.files
    weights = program(1000, loop(1, 1, 1000 - operators), loop(5, 1, operators))
    (weighed,) = weighed_files(
        [file._replace(findings=(FINDING,))], ProgramTimes([weighed_basis(file)], weights)
    )
    assert [each.guard for each in weighed.silent] == ([] if shown else ["min-share"])
    saved = [each.numbers.run_share for each in weighed.findings if each.numbers]
    # of 1 % of the time the gain, the least that a model gives, leaves a half
    assert saved == ([pytest.approx(0.005)] if shown else [])


def test_findings_that_save_most_of_the_program_come_first() -> None:
    (file,) = report(kernel(1, None, 1)).files
    small = FINDING._replace(span=Span(2, 1, 2, 9))
    assert FINDING.numbers is not None
    numbers = FINDING.numbers._replace(saved_seconds=1e-9)
    large = FINDING._replace(gain=Gain(4.0, 4.0), numbers=numbers)
    weights = program(1000, loop(1, 1, 500), loop(5, 1, 500))
    (weighed,) = weighed_files(
        [file._replace(findings=(small, large))], ProgramTimes([weighed_basis(file)], weights)
    )
    assert [each.span.line for each in weighed.findings] == [5, 2]


def test_weights_are_found_again_only_for_other_predictions_or_sizes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[int] = []

    def counted(files: Sequence[WeighedFile], weights: ProgramWeights) -> ProgramTimes:
        made.append(len(files))
        return ProgramTimes(files, weights)

    monkeypatch.setattr(run_program, "ProgramTimes", counted)
    (file,) = report(kernel(1, 4, 1000)).files
    program = RunProgram()
    program.weighed((file,))
    program.weighed((file._replace(findings=(FINDING,)),))
    assert made == [1]
    program.weighed(report(kernel(1, 5, 1000)).files)
    assert made == [1, 1]
    program.settle(PATH, (SizeLayer("command line", {"n": 7}, {}),))
    program.weighed(report(kernel(1, 5, 1000)).files)
    assert made == [1, 1, 1]
