"""RL104 counts the lines that the second loop brings again, not the names of arrays."""

from collections.abc import Callable

import pytest
from rooflint.facts import KernelFacts
from rooflint.lint.functions import LintOutcome

Lint = Callable[..., LintOutcome]
FLAGS = ["gcc -O2", "gcc -O3 -march=icelake-server", "clang -O3 -march=icelake-server"]

FRUITLESS = {
    # interpolation: even rows, then odd rows of the same array; what both read stays in L1
    "rows of their own": """
static double fine[400000][64], coarse[200000][64];
void prolong(void) {
  for (int i = 0; i < 199999; i++) {
    for (int j = 0; j < 64; j++) fine[2 * i][j] += coarse[i][j];
    for (int j = 0; j < 64; j++) fine[2 * i + 1][j] += 0.5 * coarse[i][j];
  }
}""",
    # upper and lower half: one name, no line in common
    "halves": """
static double grid[400000][64], right[400000][64];
void halves(void) {
  for (int i = 0; i < 200000; i++)
    for (int j = 0; j < 64; j++) grid[i][j] = 0.5 * right[i][j];
  for (int i = 0; i < 200000; i++)
    for (int j = 0; j < 64; j++) grid[i + 200000][j] = 0.25 * right[i + 200000][j];
}""",
    # fluxes of one line of cells at a time: 1.2 KiB that never leave L1
    "a line at a time": """
void sweep(double *restrict change, const double *restrict state) {
  static double flux[150];
  for (int k = 0; k < 2000000; k++) {
    for (int i = 0; i < 150; i++) flux[i] = state[k * 150 + i] * 2.0;
    for (int i = 0; i < 150; i++) change[k * 150 + i] = flux[i] + state[k * 150 + i];
  }
}""",
}
FRUITFUL = {
    "": """
void update(double *restrict a, double *restrict b, const double *restrict c) {
  for (int i = 0; i < 20000000; i++) a[i] = c[i] * 2.0;
  for (int i = 0; i < 20000000; i++) b[i] += a[i] * c[i];
}""",
    # each plane leaves the caches before the second loop comes
    "planes": """
static double in[8][4000000], out[8][4000000];
void planes(double *restrict s) {
  for (int p = 0; p < 8; p++) {
    for (int i = 0; i < 4000000; i++) s[i] = in[p][i] * 2.0;
    for (int i = 0; i < 4000000; i++) out[p][i] = s[i] + in[p][i];
  }
}""",
}


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("name", FRUITLESS)
def test_loops_that_bring_no_line_twice_stay_apart(lint: Lint, name: str, flags: str) -> None:
    outcome = lint("RL104", FRUITLESS[name], flags, structural=True)
    assert not outcome.findings, outcome.findings
    assert [each.guard for each in outcome.silent] == ["nothing-saved"]


@pytest.mark.long
@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("name", FRUITFUL)
def test_lines_that_have_left_the_caches_are_worth_it(lint: Lint, name: str, flags: str) -> None:
    [finding] = lint("RL104", FRUITFUL[name], flags).findings
    assert finding.gain is not None and finding.gain.low > 1.2


def test_only_what_comes_again_is_named(lint: Lint) -> None:
    # both halves of d are written once; c comes twice
    text = """
void f(double *restrict d, const double *restrict c) {
  for (int i = 0; i < 20000000; i++) d[i] = c[i] * 2.0;
  for (int i = 0; i < 20000000; i++) d[i + 20000000] = c[i] * 3.0;
}"""
    [finding] = lint("RL104", text, FLAGS[1]).findings
    assert "both stream c (153 MiB)" in finding.message


class Counting:
    """Stands for what counts the lines of a function, and says how often it was asked."""

    def __init__(self) -> None:
        self.kernels: list[int] = []

    def __call__(
        self, facts: tuple[KernelFacts, ...], arrays: object, sizes: object, line_bytes: int
    ) -> "Counting":
        self.kernels.append(len(facts))
        return self

    def from_memory(self, rates: object) -> dict[str, float]:
        """Lines of no array."""
        return {}


@pytest.mark.parametrize(("trips", "counted"), [(1000, False), (20_000_000, True)])
def test_lines_are_counted_where_caches_do_not_hold_them(
    lint: Lint, monkeypatch: pytest.MonkeyPatch, trips: int, counted: bool
) -> None:
    counting = Counting()
    monkeypatch.setattr("rooflint_plugins.rules.rl104_split_passes.FunctionTraffic", counting)
    loop = f"  for (int i = 0; i < {trips}; i++) a[i] = a[i] * 2.0 + c[i];\n"
    lint(
        "RL104", f"void f(double *restrict a, const double *restrict c) {{\n{loop * 6}}}", FLAGS[0]
    )
    whole = [kernels for kernels in counting.kernels if kernels == 6]
    fused = [kernels for kernels in counting.kernels if kernels == 5]
    # the pairs share one count of the function as it is; the guard counts it for each by itself
    assert (len(whole), len(fused)) == ((1 + 5, 5 + 5) if counted else (0, 0))
