"""Advice of a run: which loops get it, and that it is what a lint says of them."""

from pathlib import Path

import pytest
from rooflint.compile_flags.sources import Source
from rooflint.config.lint_settings import LintOverrides
from rooflint.incremental.function_outcomes import FunctionMemo
from rooflint.ir import Unit
from rooflint.lint import lint_file
from rooflint.pipeline import Analysis, Options
from rooflint.pipeline.advice.places import FEW, advised_loops
from rooflint.pipeline.files import FileResult
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.plugin_api.advice import Advice
from rooflint.plugin_api.report import (
    STATIC,
    FileReport,
    FunctionReport,
    KernelReport,
    LoopWeight,
    MachineResult,
    NestReport,
    Report,
    WorkReport,
)
from rooflint.registry import load_registry, with_rules
from rooflint.verdict.advise import ORDER
from rooflint.verdict.steps import with_verdicts

MATRIX = """
#include <stddef.h>
double total(size_t n, double a[n][n]) {
    double sum = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            sum += a[i][j];
    return sum;
}
"""
MAIN = """
#include <stddef.h>
double total(size_t n, double a[n][n]);
static double a[3000][3000], small[4];
int main(void) {
    double s = 0;
    for (int k = 0; k < 10; k++) s += total(3000, a);
    for (int i = 0; i < 4; i++) small[i] = s * i;
    return (int)small[2];
}
"""


def analysed(paths: list[Path], *, advice: bool = True, cache: str = "") -> Report:
    options = Options(
        machines=("skylake-sp-6148",), jobs=1, estimators=("ecm",), advice=advice, cache_dir=cache
    )
    analysis = Analysis(options, load_registry(), lint_file)
    list(analysis.files([Source(str(path)) for path in paths]))
    assert not analysis.internal
    return analysis.report()


def linted(paths: list[Path]) -> Report:
    options = Options(machines=("skylake-sp-6148",), jobs=1, lint=LintOverrides())
    analysis = Analysis(options, with_rules(load_registry()), lint_file)
    list(analysis.files([Source(str(path)) for path in paths]))
    return analysis.report()


def told(report: Report) -> list[tuple[str, object, str, object]]:
    """Findings without what only shares of the run tell: these rest on the models asked."""
    every: list[Advice] = [each for file in report.files for each in file.findings]
    return [(each.code, each.span, each.confidence, each.gain) for each in every]


@pytest.fixture
def program(tmp_path: Path) -> list[Path]:
    files = {"main.c": MAIN, "total.c": MATRIX}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return [tmp_path / name for name in files]


def test_a_short_nest_has_the_advice_of_its_lint(tmp_path: Path) -> None:
    """Shares choose loops, not the time of a call: 250 iterations take a microsecond."""
    path = tmp_path / "short.c"
    path.write_text(
        "double total(int n, const double *x) {\n"
        "  double sum = 0;\n"
        "  for (int i = 0; i < 250; i++) sum += x[i];\n"
        "  return sum;\n}\n"
    )
    report = analysed([path])
    assert [code for code, *_ in told(report)] == ["RL201"]
    assert told(report) == told(linted([path]))


def test_one_file_has_the_findings_of_its_lint(program: list[Path]) -> None:
    alone = program[1:]
    report = analysed(alone)
    assert [code for code, *_ in told(report)] == ["RL201"]
    assert told(report) == told(linted(alone))
    (kernel,) = report.files[0].kernels()
    assert kernel.results[0].limiter is not None  # n is guessed, and was tried


def test_several_files_have_advice_once_shares_are_known(
    program: list[Path], tmp_path: Path
) -> None:
    cache = str(tmp_path / "cache")
    report = analysed(program, cache=cache)
    assert told(report) == told(linted(program))
    assert [bool(file.findings) for file in report.files] == [False, True]
    # what an earlier run found needs no child
    assert analysed(program, cache=cache).files == report.files
    # another program has other shares, whatever is known of the file
    program[0].write_text(MAIN.replace("3000", "2500"))
    assert analysed(program, cache=cache).files == analysed(program).files


MACHINES = ("skylake-sp-6148", "zen4-9654", "generic-avx2")


def test_verdicts_repeat_the_findings_on_every_machine(program: list[Path]) -> None:
    options = Options(machines=MACHINES, jobs=1, estimators=("ecm",), advice=True)
    analysis = Analysis(options, load_registry(), lint_file)
    list(analysis.files([Source(str(program[1]))]))
    report = with_verdicts(analysis.report())
    assert {each.machine for each in report.verdicts} == set(MACHINES)
    results = {
        (kernel.id, result.machine): result
        for file in report.files
        for kernel in file.kernels()
        for result in kernel.results
    }
    for verdict in report.verdicts:
        listed = results[verdict.id, verdict.machine].advice
        advice = verdict.advice
        assert (advice is None) == (not any(each.gain for each in listed))
        if advice is None:
            continue
        gains = {
            (each.code, on.gain.low if on.gain else None, each.confidence)
            for each in listed
            for on in each.machines
            if on.machine == verdict.machine
        }
        assert (advice.rule, advice.gain, advice.confidence) in gains
        assert verdict.time.gain == pytest.approx(advice.gain)
        assert verdict.confidence is not None
        assert ORDER.index(verdict.confidence) <= ORDER.index(advice.confidence)


def broken(
    path: str, unit: Unit, setup: AnalysisSetup, memo: FunctionMemo | None = None
) -> FileResult:
    """A lint that fails."""
    raise ZeroDivisionError(path)


def test_a_bug_costs_the_advice_and_not_the_report(program: list[Path]) -> None:
    options = Options(machines=("skylake-sp-6148",), jobs=1, estimators=("ecm",), advice=True)
    analysis = Analysis(options, load_registry(), broken)
    list(analysis.files([Source(str(program[1]))]))
    (file,) = analysis.report().files
    assert [each.line for each in file.kernels()] == [6]
    (line,) = analysis.internal
    assert line.startswith(f"{program[1]}: internal error in its advice: ZeroDivisionError")


def test_without_advice_nothing_is_linted(program: list[Path]) -> None:
    (file,) = analysed(program[1:], advice=False).files
    assert file.findings == ()
    assert all(each.limiter is None for kernel in file.kernels() for each in kernel.results)


def kernel(line: int, share: float | None) -> KernelReport:
    return KernelReport(
        id=f"f.c:f/{line}",
        line=line,
        column=1,
        innermost=True,
        loops=(),
        work=WorkReport("f64", 1, {}, 1, 1),
        not_covered=(),
        results=(),
        weight=None if share is None else LoopWeight(share=share, share_origin=STATIC),
    )


def file_with(*nests: tuple[float | None, ...]) -> FileReport:
    """A file with a nest for each group of shares; kernels stand on lines from 1 on."""
    lines = iter(range(1, 1000))
    shown = [NestReport(1, 1, tuple([kernel(next(lines), s) for s in group])) for group in nests]
    return FileReport("f.c", "ok", (FunctionReport("f", 1, 1, tuple(shown), ()),))


COLD = ((0.0,),) * FEW
"""With any other nest, more than a run that gets advice whatever its shares are."""


@pytest.mark.parametrize(
    ("nest", "advised"),
    [
        ((0.01,), {1}),
        ((0.0099,), set()),
        ((0.006, 0.004), {1}),
        ((0.004, 0.004), set()),
        ((0.5, 0.009, 0.01), {1, 3}),
        ((None,), set()),
    ],
)
def test_loops_below_the_share_of_findings_have_no_advice(
    nest: tuple[float | None, ...], advised: set[int]
) -> None:
    chosen = advised_loops([file_with(nest, *COLD)]).get("f.c", frozenset())
    assert {line for line, _ in chosen} == advised


def test_all_of_a_small_run_has_advice() -> None:
    assert len(advised_loops([file_with(*COLD)])["f.c"]) == FEW
    assert advised_loops([file_with((0.0,), *COLD)]) == {}


RESULT = MachineResult(
    machine="m",
    cores=1,
    cores_origin="",
    sizes={},
    trips=(),
    traffic=(),
    predictions=(),
)


def library_with(*nests: tuple[float, ...]) -> FileReport:
    """Each nest in an entry of its own, of which it takes half; the numbers are cycles."""
    file = file_with(*[(0.5,) * len(nest) for nest in nests])
    cycles = iter([each for nest in nests for each in nest])

    def weighed(kernel: KernelReport) -> KernelReport:
        assert kernel.weight is not None
        weight = kernel.weight._replace(of_entry=True, cycles=next(cycles))
        return kernel._replace(weight=weight, results=(RESULT,))

    return file._replace(functions=tuple([f.with_kernels(weighed) for f in file.functions]))


@pytest.mark.parametrize(
    ("cycles", "advised"), [(99.0, 0), (101.0, 1)], ids=["less than one percent", "more"]
)
def test_a_ranked_screen_has_advice_for_loops_of_the_whole_time(
    cycles: float, advised: int
) -> None:
    others = ((0.0,),) * FEW
    file = library_with((9900.0,), (cycles,), *others)
    assert len(advised_loops([file], in_full=False)["f.c"]) == 1 + advised
    assert len(advised_loops([file])["f.c"]) == FEW + 2
    few = library_with((9900.0,), (cycles,))
    assert len(advised_loops([few], in_full=False)["f.c"]) == 2
