"""The loops of the largest predicted share of time."""

from rooflint.pipeline.ranking import top_kernels, total_cycles
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


def kernel(name: str, cycles: float | None, *trips: float | None) -> KernelReport:
    prediction = Prediction("m", "compute", "s", "h", cycles)
    result = MachineResult("toy", 1, "", {}, trips, (), (prediction,))
    work = WorkReport("f64", 1.0, {}, 0.0, 0.0)
    return KernelReport(name, 1, 1, True, (), work, (), (result,))


def report(*kernels: KernelReport) -> Report:
    nests = tuple(NestReport(1, 1, (each,)) for each in kernels)
    file = FileReport("x.c", "ok", (FunctionReport("f", 1, 1, nests, ()),))
    return Report("0", (), (file,), Summary(len(kernels), len(kernels)))


def names(found: Report) -> list[str]:
    return [k.id for f in found.files for g in f.functions for n in g.nests for k in n.kernels]


def test_top_takes_cycles_times_iterations_and_keeps_the_order() -> None:
    # 2 cy * 10 * 10 = 200; 50 cy * 3 = 150; unknown; 1 cy * 1000 = 1000
    kernels = [
        kernel("a", 2, 10, 10),
        kernel("b", 50, 3),
        kernel("c", None, 9),
        kernel("d", 1, 1e3),
    ]
    assert [total_cycles(each) for each in kernels] == [200, 150, -1, 1000]
    assert names(top_kernels(report(*kernels), 2)) == ["a", "d"]
    assert names(top_kernels(report(*kernels), 3)) == ["a", "b", "d"]
    assert names(top_kernels(report(*kernels), 9)) == ["a", "b", "c", "d"]


def test_top_of_equals_takes_the_first() -> None:
    assert names(top_kernels(report(*(kernel(n, 1, 1) for n in "abc")), 1)) == ["a"]
