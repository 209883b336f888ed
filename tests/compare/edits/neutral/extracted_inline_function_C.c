//! edit: extracted inline function
//! form: C
//! sizes: n=1000
//! before
void axpy(int n, double a, double *restrict y, const double *restrict x)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}
//! after
static inline double scaled(double a, double x) { return a * x; }
void axpy(int n, double a, double *restrict y, const double *restrict x)
{
    for (int i = 0; i < n; i++)
        y[i] += scaled(a, x[i]);
}
