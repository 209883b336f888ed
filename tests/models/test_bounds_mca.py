"""The scheduler fed with compiled loops: never faster than llvm-mca's throughput bound of them."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from rooflint.core.external.build import CompilationUnit, compile_unit
from rooflint.core.external.figures import ExternalFailure
from rooflint.core.external.listing import innermost_loops
from rooflint.core.external.tools import locate
from rooflint.incremental.result_store import ResultStore
from rooflint.machine import builtin_dir, find_machine

CLANG, MCA = locate("clang"), locate("llvm-mca")
pytestmark = pytest.mark.skipif(
    CLANG is None or MCA is None, reason="clang or llvm-mca is not installed"
)
BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "bounds_mca.py"
# innermost loops as in PolyBench: gemm, atax, jacobi-1d, fdtd-2d, floyd-warshall, trisolv, cholesky
SOURCE = """
void gemm(int n, double alpha, double *restrict c, double *restrict b, double a) {
  for (int j = 0; j < n; j++) c[j] += alpha * a * b[j];
}
double atax(int n, double *a, double *x) {
  double s = 0;
  for (int j = 0; j < n; j++) s += a[j] * x[j];
  return s;
}
void jacobi(int n, double *restrict b, double *restrict a) {
  for (int i = 1; i < n - 1; i++) b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
}
void fdtd(int n, double *restrict hz, double *restrict ex, double *restrict y, double *restrict e) {
  for (int j = 0; j < n; j++) hz[j] = hz[j] - 0.7 * (ex[j + 1] - ex[j] + e[j] - y[j]);
}
void floyd(int n, int *restrict p, int *restrict k, int d) {
  for (int j = 0; j < n; j++) p[j] = p[j] < d + k[j] ? p[j] : d + k[j];
}
void trisolv(int n, double *x, double *b) {
  for (int j = 1; j < n; j++) x[j] = (b[j] - x[j - 1]) / b[j];
}
void cholesky(int n, double *a) {
  for (int j = 0; j < n; j++) a[j] /= a[n];
}
"""


@pytest.fixture(scope="module")
def benchmark() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARK.parent))
        spec = importlib.util.spec_from_file_location("bounds_mca", BENCHMARK)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield module


@pytest.mark.parametrize(
    "name", ["sandybridge-ep-e5-2680", "haswell-ep-e5-2695v3", "skylake-sp-6148"]
)
def test_compiled_loops_take_no_less_than_their_ports(
    benchmark: ModuleType, tmp_path: Path, name: str
) -> None:
    machine = find_machine(name, (builtin_dir(),))
    assert machine.tools is not None and CLANG is not None
    source = tmp_path / "loops.c"
    source.write_text(SOURCE, encoding="utf-8")
    flags = ("-O3", f"-march={machine.tools.cpu}")
    made = compile_unit(
        CompilationUnit(str(source), flags, CLANG), ResultStore(str(tmp_path / "cache"))
    )
    assert not isinstance(made, ExternalFailure), made
    loops = [loop for loop in innermost_loops(made.text) if not loop.branches]
    seen = set()
    for loop in loops:
        ours, bound = benchmark.both(loop.text, machine, MCA)
        assert 0 < 0.95 * bound <= ours <= 1.1 * bound, loop.function
        seen.add(loop.function)
    assert len(seen) >= 6
