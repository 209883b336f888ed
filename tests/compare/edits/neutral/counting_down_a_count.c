//! edit: counting down
//! form: a count, with pointers that go forward
//! sizes: n=1000
//! before
void axpy(int n, double a, double *restrict y, const double *restrict x)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}
//! after
void axpy(int n, double a, double *restrict y, const double *restrict x)
{
    for (int i = n; i > 0; i--)
        *y++ += a * *x++;
}
