//! edit: renaming
//! form: arrays, index and scalar
//! sizes: n=1000
//! before
void axpy(int n, double a, double *restrict y, const double *restrict x)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}
//! after
void axpy(int n, double factor, double *restrict target, const double *restrict x)
{
    for (int p = 0; p < n; p++)
        target[p] += factor * x[p];
}
