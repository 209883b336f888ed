//! edit: macro
//! form: expression
//! sizes: n=1000
//! before
void axpy(int n, double a, double *restrict y, const double *restrict x)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}
//! after
#define MADD(a, x, y) ((y) + (a) * (x))
void axpy(int n, double a, double *restrict y, const double *restrict x)
{
    for (int i = 0; i < n; i++)
        y[i] = MADD(a, x[i], y[i]);
}
