"""Code that once raised inside the front end or a model: every loop gets its answer."""

from pathlib import Path

import pytest
from rooflint.pipeline import Options, Source, analyse
from rooflint.plugin_api.report import Report
from rooflint.registry import ON_REQUEST, load_registry, with_requested

ADDRESSES = """
int f(int);
static void k(long m, int y)
{
    int *z;
    for (int i = 0; i < y; i++) {
        m = f(i);
        y = f(m);
        z[m] = y;
    }
}
void passed(int *c, int n) { k(c, n); }
void walked(int *c, int n) { int *p = c; for (int i = 0; i < n; i++) { p++; k(p, n); } }
void cast(int *c, int n) { k((long)c, n); }
"""
STRIDES = """
void divided(double *a, int n, int m)
{
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            a[i * (n / j)] = 1;
}
void called(double *a, int n, int m, int (*f)(void))
{
    for (int i = 0; i < n; i++) {
        int k = f();
        for (int j = 0; j < m; j++)
            a[j * k] = 1;
    }
}
void remainder(double *a, int n, int m)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            a[j * (m % i)] = a[i] + 1;
}
void rows(double *a, int n, const int *row)
{
    for (int i = 0; i < n; i++)
        for (int j = row[i]; j < row[i + 1]; j++)
            a[j * row[i]] = a[j] + 1;
}
void doubled(double *a, int n)
{
    for (int i = 1; i < n; i *= 2)
        for (int j = 0; j < n; j += i)
            a[j * i] = 1;
}
void grown(double *a, int n)
{
    int k = 1;
    for (int j = 0; j < n; j++) {
        k = k * 3 + 1;
        for (int i = 0; i < 9; i++)
            a[i * k] = 1;
    }
}
void by_nothing(double *a, int n, int m)
{
    int z = 0;
    for (int i = 0; i < n; i++)
        a[i * (m / z)] = a[i] + 1;
}
"""


def report_of(text: str, tmp_path: Path) -> Report:
    source = tmp_path / "k.c"
    source.write_text(text)
    registry = with_requested(load_registry(), ON_REQUEST)
    return analyse([Source(str(source))], Options(models=("bounds",)), registry)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (ADDRESSES, "k walked"),
        (STRIDES, "divided called remainder rows doubled grown by_nothing"),
    ],
)
def test_no_loop_is_lost(text: str, names: str, tmp_path: Path) -> None:
    report = report_of(text, tmp_path)
    (file,) = report.files
    assert not any("internal" in d.message for d in file.diagnostics), file.diagnostics
    assert file.refusals == ()
    assert report.plugin_failures == ()
    assert {function.name for function in file.functions} == set(names.split())
    for function in file.functions:
        for nest in function.nests:
            for kernel in nest.kernels:
                for result in kernel.results:
                    assert [p.model for p in result.predictions] == ["bounds"], result.skipped
