"""A rule is asked where a function has what the rule requires, and nowhere else."""

from collections.abc import Callable

import pytest
from rooflint.facts import facts_of
from rooflint.ir import Unit
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.rule_kit.features import CodeFeature, features_of

Benches = Callable[..., tuple[AnalysisSetup, Unit]]


def features(benches: Benches, text: str) -> frozenset[CodeFeature]:
    """Those of the only function of a text."""
    _, unit = benches(text, [], "generic-avx2")
    (source,) = unit.functions
    return features_of(source.function, facts_of(source.function))


PLAIN = "void f(double *restrict a, int n) { for (int i = 0; i < n; i++) a[i] = 1.0; }"
FEATURES = {
    CodeFeature.NEST: "void f(double *a, int n) { for (int j = 0; j < n; j++)"
    " for (int i = 0; i < n; i++) a[i] += j; }",
    CodeFeature.SEVERAL_LOOPS: "void f(double *a, int n) { for (int j = 0; j < n; j++) a[j] = 1;"
    " for (int i = 0; i < n; i++) a[i] = 2; }",
    CodeFeature.EARLY_EXIT: "int f(int *a, int n) { for (int i = 0; i < n; i++)"
    " if (a[i] == 7) return i; return -1; }",
    CodeFeature.BRANCH: "void f(double *a, int n) { for (int i = 0; i < n; i++)"
    " if (a[i] > 0) a[i] = 1; }",
    CodeFeature.REGION: "void f(double *a, int n) {\n#pragma omp parallel for\n"
    "for (int i = 0; i < n; i++) a[i] = 1; }",
    CodeFeature.CALL: "double g(double); void f(double *a, int n) {"
    " for (int i = 0; i < n; i++) a[i] = g(a[i]); }",
    CodeFeature.DIVISION: "void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] /= 3.0; }",
    CodeFeature.CONVERSION: "void f(float *a, int n) { for (int i = 0; i < n; i++) a[i] *= 0.1; }",
    CodeFeature.SQUARE_ROOT: "double sqrt(double); void f(double *a, int n) {"
    " for (int i = 0; i < n; i++) a[i] = sqrt(a[i]); }",
    CodeFeature.CARRIED_SCALAR: "double f(double *a, int n) { double s = 0;"
    " for (int i = 0; i < n; i++) s += a[i]; return s; }",
    CodeFeature.BYTES: "void f(char *a, int n) { for (int i = 0; i < n; i++) a[i] = 1; }",
    CodeFeature.ROWS: "void f(double a[8][8], int n) { for (int i = 0; i < n; i++) a[i][2] = 1; }",
    CodeFeature.STRIDE: "void f(double *a, int n) { for (int i = 0; i < n; i++) a[3 * i] = 1; }",
    CodeFeature.GATHER: "double f(double *a, int *at, int n) { double s = 0;"
    " for (int i = 0; i < n; i++) s += a[at[i]]; return s; }",
    CodeFeature.FIXED_PLACE: "void f(double *a, double *b, int n) {"
    " for (int i = 0; i < n; i++) a[0] += b[i]; }",
}


@pytest.mark.parametrize("feature", FEATURES, ids=str)
def test_a_feature_is_found(benches: Benches, feature: CodeFeature) -> None:
    assert feature in features(benches, FEATURES[feature])


def test_every_feature_has_an_example() -> None:
    assert {*FEATURES, CodeFeature.CELLS} == set(CodeFeature)


def test_a_scalar_in_memory_is_found(benches: Benches) -> None:
    text = "void f(double *a, const double *s, int n) { for (int i = 0; i < n; i++) a[i] = *s; }"
    global_scalar = "double s; " + text.replace("const double *s, ", "").replace("*s", "s")
    assert CodeFeature.CELLS in features(benches, global_scalar)


def test_plain_code_has_none(benches: Benches) -> None:
    assert features(benches, PLAIN) == frozenset()
