//! edit: one pass split in two
//! form: through a temporary array
//! sizes: n=1000
//! reason: 1 more loop
//! before
void blend(int n, double *__restrict y, const double *__restrict a, const double *__restrict b)
{
    for (int i = 0; i < n; i++)
        y[i] = 0.5 * (a[i] + b[i]) + 1;
}
//! after
void blend(int n, double *__restrict y, const double *__restrict a, const double *__restrict b)
{
    for (int i = 0; i < n; i++)
        y[i] = a[i] + b[i];
    for (int i = 0; i < n; i++)
        y[i] = 0.5 * y[i] + 1;
}
