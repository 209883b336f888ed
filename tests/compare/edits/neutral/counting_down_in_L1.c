//! edit: counting down
//! form: in L1
//! sizes: n=1000
//! reason: walked backwards
//! otherwise: gcc -O3, gcc -O3 -march=skylake-avx512, gcc -O3 -ffast-math, clang -O2, clang -O3
//! why: Vectors of a backward walk are reversed in registers: of axpy in L1, measured 665 and
//! why: 1078 cy with gcc 12 -O3, 527 and 668 with clang 14 -O3, 527 and 665 with -O2. gcc -O2
//! why: makes no vectors of it, and beyond the caches the memory decides.
//! before
void axpy(int n, double a, double *restrict y, const double *restrict x)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}
//! after
void axpy(int n, double a, double *restrict y, const double *restrict x)
{
    for (int i = n - 1; i >= 0; i--)
        y[i] += a * x[i];
}
