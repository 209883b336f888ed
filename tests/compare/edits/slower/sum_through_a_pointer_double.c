//! edit: sum through a pointer
//! form: double
//! sizes: n=1000
//! reason: sum
//! otherwise: gcc -O2, gcc -O3, gcc -O3 -march=skylake-avx512, clang -O2, clang -O3
//! why: the addition's latency hides the store: measured 2064 and 2063 cy with gcc 12 -O3, 2062
//! why: and 2063 with clang 14 -O3; only where sums may be reordered are vectors lost (1.9 x)
//! before
void total(int n, double *sum, const double *x)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    *sum = s;
}
//! after
void total(int n, double *sum, const double *x)
{
    *sum = 0;
    for (int i = 0; i < n; i++)
        *sum += x[i];
}
