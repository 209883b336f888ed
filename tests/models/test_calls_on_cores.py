"""The cycles of calls in a loop are shared by the cores that share its iterations."""

import pytest
from rooflint.pipeline import Options, Source, analyse
from rooflint.registry import load_registry

CODE = b"""#include <math.h>
void f(int n, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++) a[i] = exp(sin(b[i]));
}
"""


def cycles(cores: str) -> dict[str, float | None]:
    options = Options(
        machines=("skylake-sp-6148",), cores=cores, models=("roofline", "ecm"), jobs=1
    )
    report = analyse([Source("f.c", CODE)], options, load_registry(search_path=()))
    (kernel,) = report.files[0].kernels()
    return {each.model: each.cycles_per_iteration for each in kernel.results[0].predictions}


def test_cores_share_the_calls() -> None:
    one, ten = cycles("1"), cycles("10")
    assert one.keys() == ten.keys() and "roofline" in one
    for model, alone in one.items():
        assert alone is not None
        assert ten[model] == pytest.approx(alone / 10, rel=0.05), model
