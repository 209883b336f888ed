//! edit: counting down
//! form: in L1
//! sizes: n=1000
//! reason: walked backwards
//! otherwise: gcc -O3, gcc -O3 -march=skylake-avx512, gcc -O3 -ffast-math
//! why: gcc turns vectors of a backward walk round in registers: axpy in L1 measures 171 and 304 ns
//! why: with gcc 12 -O3 on a Zen 4, 75 and 114 with -march=skylake-avx512. gcc -O2 makes no vectors
//! why: of it, clang 19 turns none (-O2 250 and 243 ns, -O3 140 and 141), and beyond the caches the
//! why: memory decides.
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
