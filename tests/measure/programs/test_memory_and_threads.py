"""Memory that a function allocates or gives back, and threads that it starts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.measure.build import build_program
from rooflint.measure.process import refusal_of, run_program
from rooflint.measure.program import Program, RunSettings
from rooflint.measure.records import ProcessRun
from rooflint.measure.subject import Subject, find_subject

pytestmark = pytest.mark.long

C = """\
#include <stdlib.h>
struct list { int n; double *at; };
void copies(int n, double *restrict a)
{
    double *t = malloc(n * sizeof *t), *u = calloc(n, sizeof *u);
    for (int i = 0; i < n; i++)
        t[i] = u[i] + a[i];
    for (int i = 0; i < n; i++)
        a[i] = t[n - 1 - i];
    free(t);
    free(u);
}
void turns(int n, double *restrict a)
{
    for (int k = 0; k < 4; k++) {
        double *t = malloc(n * sizeof *t);
        for (int i = 0; i < n; i++)
            t[i] = a[i];
        a[k] = t[n - 1];
        free(t);
    }
}
void gives_back(struct list *l)
{
    free(l->at);
    l->at = malloc(l->n * sizeof(double));
    for (int i = 0; i < l->n; i++)
        l->at[i] = i;
}
void grows(struct list *l)
{
    l->at = realloc(l->at, l->n * sizeof(double));
    for (int i = 0; i < l->n; i++)
        l->at[i] += i;
}
"""
CXX = """\
#include <vector>
void sum(int n, double *a)
{
    std::vector<double> t(n);
    double *u = new double[n];
    for (int i = 0; i < n; i++)
        t[i] = u[i] = a[i];
    for (int i = 0; i < n; i++)
        a[i] = t[n - 1 - i] + u[i];
    delete[] u;
}
"""


@pytest.mark.parametrize(
    ("text", "suffix", "function", "arrays"),
    [
        (C, ".c", "copies", 2),
        (C, ".c", "turns", 1),  # one at a time
        (C, ".c", "gives_back", 1),
        (C, ".c", "grows", 1),
        (CXX, ".cpp", "sum", 2),
    ],
)
def test_memory_of_the_function_itself_counts(
    text: str,
    suffix: str,
    function: str,
    arrays: int,
    subject_in: Callable[..., Any],
    bench: Callable[..., Any],
) -> None:
    run = bench(subject_in(text, suffix, function)).run()
    assert run.completion is not None, run
    assert run.heap is not None
    assert 8000 * arrays <= run.heap.bytes < 8000 * arrays + 64 * arrays
    assert run.touched_bytes >= run.heap.bytes


THREADS = """\
#include <omp.h>
void fill(int n, double *restrict a, int *restrict team)
{
#pragma omp parallel
    {
        team[0] = omp_get_num_threads();
#pragma omp for
        for (int i = 0; i < n; i++)
            a[i] = a[i] * 2 + team[0];
    }
    if (team[0] != WANTED)
        *(volatile int *)0 = 1;
}
"""


@pytest.mark.parametrize("count", [1, 2])
def test_a_team_has_a_thread_on_each_core(tmp_path: Path, count: int) -> None:
    path = tmp_path / "fill.c"
    path.write_text(THREADS)
    flags = ["gcc", "-O2", "-fopenmp", f"-DWANTED={count}"]
    subject = find_subject(str(path), FlagFinder(extra=flags).flags(str(path)))
    assert isinstance(subject, Subject)
    program = build_program(subject, str(tmp_path), compiler="gcc")
    assert isinstance(program, Program)
    assert program.is_threaded
    threads = () if count == 1 else (0, 1)
    settings = RunSettings(sizes=(("n", 100_000),), threads=threads, batches=4, budget_s=0.01)
    run = run_program(program, settings, 60.0)
    assert refusal_of(program, settings, run) is None
    assert len(run.batches) > 0
    # every page is filled once, whichever thread meets it first
    assert {each.name: each.high for each in run.extents}["a"] >= 800_000


def test_data_that_only_later_calls_touch_are_found_before_timing(
    bench: Callable[..., Any], subject_in: Callable[..., Any]
) -> None:
    """The first call asks how much memory is needed, as allocators with a buffer do."""
    text = """
        void f(int n, double *needed, double *a) {
            if (needed[0] >= 1000)
                for (int i = 0; i < 4096; i++) a[i] = 1;
            needed[0] = 1000; }"""
    run = run_program(bench(subject_in(text)).program, RunSettings(budget_s=0.002, batches=3), 60.0)
    assert isinstance(run, ProcessRun)
    assert run.completion is not None
    assert run.completion.late_pages == 0
    assert run.touched_bytes >= 8 * 4096


def test_arrays_of_the_file_are_memory_before_timing_whether_touched_or_not(
    bench: Callable[..., Any], subject_in: Callable[..., Any]
) -> None:
    """Vectors read them under masks, which no fault tells of while the masks are empty."""
    text = """
        double b[4096];
        void f(int n, double *calls) {
            if (calls[0] >= 4)
                for (int i = 0; i < 4096; i++) b[i] += 1;
            calls[0] += 1; }"""
    run = run_program(bench(subject_in(text)).program, RunSettings(budget_s=0.002, batches=3), 60.0)
    assert isinstance(run, ProcessRun)
    assert run.completion is not None
    assert run.completion.late_pages == 0
    # what the first calls left alone is no part of the data that they touch
    assert run.touched_bytes < 8 * 4096


LONG_WALKS = {
    "up": "for (long i = 0; i < n; i++) a[i] += 1;",
    "down": "for (long i = n - 1; i >= 0; i--) a[i] += 1;",
    "both": "for (long i = 0; i < n / 2; i++) a[n / 2 + i] = a[n / 2 - 1 - i];",
}


@pytest.mark.parametrize("walk", LONG_WALKS)
def test_a_long_walk_is_found_to_a_small_part(
    walk: str, bench: Callable[..., Any], subject_in: Callable[..., Any]
) -> None:
    """Of 2 MiB, in pages of 4 KiB: 1/64 at each end at most too much, and nothing too little."""
    text = f"void f(int n, double *a) {{ {LONG_WALKS[walk]} }}"
    run = bench(subject_in(text)).run((("n", 1 << 18),))
    assert run.completion is not None, run
    (extent,) = run.extents
    assert extent.low <= 0
    assert extent.high >= 1 << 21
    assert run.touched_bytes <= (1 << 21) * 66 / 64 + 2 * 4096


def test_pages_between_those_touched_are_none_of_them(
    bench: Callable[..., Any], subject_in: Callable[..., Any]
) -> None:
    text = "void f(int n, double *a) { for (int i = 0; i < n; i++) a[1024L * i] = 1; }"
    assert bench(subject_in(text)).run((("n", 200),), max_bytes=1 << 21).completion is not None


STRANGE = ("MIN / 2", "-MIN / 4", "INFINITY", "-INFINITY", "NAN")
USUAL = ("0", "-0.0", "-MIN", "MAX")


@pytest.mark.parametrize(("kind", "prefix"), [("double", "DBL"), ("float", "FLT")])
def test_values_out_of_the_normal_range_are_found(
    kind: str, prefix: str, bench: Callable[..., Any], subject_in: Callable[..., Any]
) -> None:
    """At the end of an array of more than one piece."""
    text = f"""
        #include <float.h>
        #include <math.h>
        #define MIN {prefix}_MIN
        #define MAX {prefix}_MAX
        static const volatile {kind} values[] = {{ {", ".join(STRANGE + USUAL)} }};
        void f(int n, int which, {kind} *a) {{
            for (int i = 0; i < n; i++) a[i] = i;
            a[n - 1] = values[which]; }}"""
    built = bench(subject_in(text))
    runs = [built.run((("n", 5000), ("which", each))) for each in range(len(STRANGE + USUAL))]
    found = [run.completion.ran_away for run in runs if run.completion is not None]
    assert found == [True] * len(STRANGE) + [False] * len(USUAL)
