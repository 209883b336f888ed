"""Functions with nothing left to measure: none of them counts as measured, whatever it returns."""

from collections.abc import Callable
from typing import Any

import pytest
from rooflint.measure.process import refusal_of, run_program
from rooflint.measure.program import RunSettings
from rooflint.measure.protocol import Expectation, figure

BYTES = 8 * 1000
"""That the analysis expects of each loop with its sizes at 1000."""
SOURCES = {
    "ends at once on its data": """
        int f(int n, const double *a) {
            for (int i = 0; i < n; i++) if (a[i] > 0.25) return i;
            return -1; }""",
    "leaves before the loop": """
        void f(int n, int mode, double *a) {
            if (mode != 7) return;
            for (int i = 0; i < n; i++) a[i] = 1; }""",
    "has no trips": """
        void f(int n, int first, double *a) { for (int i = first; i < n; i++) a[i] = 1; }""",
    "result unused": """
        void f(int n, const double *a) {
            double s = 0; for (int i = 0; i < n; i++) s += a[i]; }""",
    "is constant": """
        int f(int n, double *a) { int c = 0; for (int i = 0; i < n; i++) c++; return c; }""",
    "empty list": """
        struct node { double x; struct node *next; };
        double f(int n, struct node *first) {
            double s = 0; for (struct node *p = first; p && n < 0; p = p->next) s += p->x;
            return s; }""",
    "ends at a flag": """
        void f(int n, const int *done, double *a) {
            for (int i = 0; i < n && !done[0] == 0 && i < 0; i++) a[i] = 1; }""",
}


@pytest.mark.long
@pytest.mark.parametrize("name", SOURCES)
def test_it_is_not_measured(
    name: str, bench: Callable[..., Any], subject_in: Callable[..., Any]
) -> None:
    program = bench(subject_in(SOURCES[name])).program
    settings = RunSettings(budget_s=0.002, batches=3)
    run = run_program(program, settings, 60.0)
    if refusal_of(program, settings, run) is not None:
        return
    found = figure([run], Expectation(least_bytes=BYTES, most_bytes=BYTES, arrays=1))
    assert found is None or not found.is_of_loop


def test_the_same_loop_with_its_data_is_measured(
    bench: Callable[..., Any], subject_in: Callable[..., Any]
) -> None:
    text = SOURCES["ends at once on its data"].replace("0.25", "2")
    program = bench(subject_in(text)).program
    run = run_program(program, RunSettings(budget_s=0.002, batches=3), 60.0)
    found = figure([run], Expectation(least_bytes=BYTES, most_bytes=BYTES, arrays=1))
    assert found is not None
    assert found.is_of_loop
