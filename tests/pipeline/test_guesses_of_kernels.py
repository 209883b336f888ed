"""What a kernel's report says of guessed sizes: those of its own loops, with their ranges."""

from pathlib import Path

import pytest
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.pipeline import Options, Source, analyse
from rooflint.pipeline.files import NO_SCOPE
from rooflint.pipeline.functions import FunctionAnalysis
from rooflint.pipeline.on_machine import OnMachine, OtherRun
from rooflint.pipeline.setup.resolver import SetupResolver
from rooflint.plugin_api.report import FunctionReport, GuessBasis, SizeValue
from rooflint.registry import load_registry

SOURCE = """
void f(float *x, float *y, int n, int m) {
  for (int t = 0; t < 3; t++) {
    for (int i = 0; i < n; i++) x[i] += 1.0f;
    for (int j = 0; j < m; j++) y[j] *= 2.0f;
    x[t] *= y[t];
  }
}
int g(const unsigned *a, int n) {
  int s = 0;
  while (1) { s += a[s & 7]; if (s > n) break; }
  return s;
}
"""


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, FunctionReport]:
    path = tmp_path_factory.mktemp("guesses") / "f.c"
    path.write_text(SOURCE)
    options = Options(machines=("generic-2level",), cache_dir="", jobs=1)
    (file,) = analyse([Source(str(path))], options, load_registry()).files
    return {each.name: each for each in file.functions}


def test_a_kernel_lists_the_sizes_of_its_own_loops(functions: dict[str, FunctionReport]) -> None:
    sizes = {kernel.line: kernel.results[0].sizes for kernel in functions["f"].kernels()}
    assert {line: sorted(own) for line, own in sizes.items()} == {3: [], 4: ["n"], 5: ["m"]}
    assert sizes[4]["n"] == SizeValue(250, "role", GuessBasis(40, 6000, "length parameter", 6))


def test_assumptions_are_of_the_roles_of_own_sizes(functions: dict[str, FunctionReport]) -> None:
    words = {
        kernel.line: [each for each in kernel.results[0].assumptions if "by role" in each]
        for kernel in functions["f"].kernels()
    }
    assert words == {
        4: ["size by role: length parameter: 40 to 6000"],
        5: ["size by role: parameter: 8 to 128"],
        3: [],
    }


def test_a_trip_count_that_nothing_tells_has_the_range_of_its_role(
    functions: dict[str, FunctionReport],
) -> None:
    (value,) = [each for each in functions["g"].values if each.name == "trips(1)"]
    assert (value.low, value.typical, value.high) == (1, 16, 300)
    assert (value.role, value.programs) == ("endless", 1)


ALIKE = """
void f(int n, int m, double *restrict x, const double *y, const int *row, const int *col) {
%s}
"""
NEST = """  for (int i = 0; i < n; i++)
    for (int j = row[i]; j < row[i + 1]; j++) x[i] += y[j] * y[col[j] + m * %d];
"""


@pytest.mark.parametrize("nests", [1, 4])
def test_nests_with_the_same_sizes_are_tried_in_the_same_runs(
    nests: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[tuple[tuple[str, int], ...]] = []
    real = OnMachine.in_run

    def recorded(self: OnMachine, other: OtherRun) -> OnMachine:
        tried.append(tuple(other.sizes.items()))
        return real(self, other)

    monkeypatch.setattr(OnMachine, "in_run", recorded)
    (path := tmp_path / "f.c").write_text(ALIKE % "".join([NEST % n for n in range(nests)]))
    setup = SetupResolver(Options(), load_registry()).setup_for(str(path))
    unit = extract(Request(str(path), FlagFinder().flags(str(path))))
    [source] = unit.functions
    analysis = FunctionAnalysis(source, NO_SCOPE, setup)
    origins = {each.kernel.origin for each in analysis.facts}
    found = list(analysis.limiters(origins))
    assert len([each for _, limiters in found for each in limiters if each]) == 2 * nests
    sizes = [each for each in tried if each]
    assert len(sizes) == len(set(sizes)) > 0
