//! edit: sum through a pointer
//! form: int
//! sizes: n=1000
//! reason: sum|stores per iteration
//! otherwise: clang -O2, clang -O3
//! why: clang sums in a register behind a check of addresses; clang 14 does not yet: 5.6 x
//! why: slower
//! before
void total(int n, int *sum, const int *x)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    *sum = s;
}
//! after
void total(int n, int *sum, const int *x)
{
    *sum = 0;
    for (int i = 0; i < n; i++)
        *sum += x[i];
}
