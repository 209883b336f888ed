"""From C to cycles with a real clang and llvm-mca, where they are installed."""

from pathlib import Path

import pytest
from rooflint.core.external.build import CompilationUnit
from rooflint.core.external.choice import SourceLoop
from rooflint.core.external.figures import ExternalFailure
from rooflint.core.external.measure import AnalyserTarget, LoopCycles, Measurer
from rooflint.core.external.tools import locate
from rooflint.incremental.result_store import ResultStore

SOURCE = """
double sum(const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += a[i];
  return s;
}
void triad(double *restrict a, const double *restrict b, const double *restrict c, double x, int n) {
  for (int i = 0; i < n; i++)
    a[i] = b[i] + x * c[i];
}
double called(double);
void calls(double *a, int n) {
  for (int i = 0; i < n; i++)
    a[i] = called(a[i]);
}
"""  # noqa: E501
SKYLAKE = AnalyserTarget("skylake", "skylake-avx512", "x86_64-linux-gnu", "SKX", ("2", "3"))
COMPILER = locate("clang")
needs_tools = pytest.mark.skipif(
    COMPILER is None or locate("llvm-mca") is None, reason="clang or llvm-mca is not installed"
)


class Bench:
    """A file and a measurer for its loops."""

    def __init__(self, folder: Path, flags: tuple[str, ...]) -> None:
        self.path = folder / "k.c"
        self.path.write_text(SOURCE)
        self.unit = CompilationUnit(str(self.path), flags, COMPILER or "clang")
        self.measurer = Measurer("llvm-mca", ResultStore(str(folder / "cache")))

    def loop(self, function: str, first: int, *strides: int) -> LoopCycles | ExternalFailure:
        wanted = SourceLoop(str(self.path), function, first, first + 1, strides)
        return self.measurer.measure(self.unit, wanted, SKYLAKE)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path, ("-O3", "-march=skylake-avx512"))


@needs_tools
def test_a_sum_takes_the_latency_of_an_addition(bench: Bench) -> None:
    found = bench.loop("sum", 4, 8)
    assert isinstance(found, LoopCycles), found
    assert found.width == 1
    assert found.t_core_cy == pytest.approx(4.0, rel=0.02)  # vaddsd on Skylake: 4 cycles
    assert found.t_ol_cy == pytest.approx(4.0, rel=0.02)
    assert found.t_nol_cy == pytest.approx(0.5, rel=0.1)  # a load an iteration on two ports


@needs_tools
def test_a_triad_takes_vectors_and_a_store_each(bench: Bench) -> None:
    found = bench.loop("triad", 9, 8, 8, 8)
    assert isinstance(found, LoopCycles), found
    assert found.width == 4
    assert found.iterations % 4 == 0
    # four elements: two loads on two ports, one store on one
    assert found.t_core_cy == pytest.approx(0.25, rel=0.25)
    assert found.t_nol_cy == pytest.approx(0.25, rel=0.05)
    assert "clang" in found.compiler


@needs_tools
def test_results_come_from_the_store_the_second_time(bench: Bench, tmp_path: Path) -> None:
    first = bench.loop("sum", 4, 8)
    cache = tmp_path / "cache"
    kept = {path: path.read_bytes() for path in cache.rglob("*") if path.is_file()}
    assert len(kept) == 2  # the listing and the figures
    bench.measurer = Measurer("llvm-mca", ResultStore(str(tmp_path / "cache")))
    assert bench.loop("sum", 4, 8) == first
    assert {path: path.read_bytes() for path in cache.rglob("*") if path.is_file()} == kept


@needs_tools
def test_what_cannot_be_measured_says_so_in_a_line(bench: Bench) -> None:
    found = bench.loop("calls", 14, 8)
    assert isinstance(found, ExternalFailure)
    assert "calls functions" in found.reason
    found = bench.loop("sum", 40, 8)
    assert found == ExternalFailure("the compiler left no innermost loop from these lines")


@needs_tools
def test_a_core_without_a_name_there_is_refused(bench: Bench) -> None:
    wanted = SourceLoop(str(bench.path), "sum", 4, 5, (8,))
    found = bench.measurer.measure(bench.unit, wanted, SKYLAKE._replace(cpu=None))
    assert found == ExternalFailure("the machine file of skylake has no tools.cpu")


@needs_tools
def test_source_that_does_not_compile_gives_the_compilers_error(bench: Bench) -> None:
    bench.path.write_text("int f( {")
    found = bench.loop("f", 1, 8)
    assert isinstance(found, ExternalFailure)
    assert found.reason.startswith("clang")
    assert "error" in found.reason
