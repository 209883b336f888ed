"""A loop that walks rows, and the same that walks columns, as the hooks are run on them."""

FINE = """\
enum { N = 2000 };
double a[N][N], b[N][N];
void copy(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = 2.0 * b[i][j];
}
"""
OUTER, INNER = "for (int i = 0; i < N; i++)", "for (int j = 0; j < N; j++)"
WALK = FINE.replace(f"{OUTER}\n        {INNER}", f"{INNER}\n        {OUTER}")
