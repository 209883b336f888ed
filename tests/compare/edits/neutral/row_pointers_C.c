//! edit: row pointers
//! form: C
//! sizes: n=500
//! before
void gemv(int n, double *__restrict y, const double *__restrict a, const double *__restrict x)
{
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int j = 0; j < n; j++)
            s += a[i * n + j] * x[j];
        y[i] = s;
    }
}
//! after
void gemv(int n, double *__restrict y, const double *__restrict a, const double *__restrict x)
{
    for (int i = 0; i < n; i++) {
        const double *row = a + i * n;
        double s = 0;
        for (int j = 0; j < n; j++)
            s += row[j] * x[j];
        y[i] = s;
    }
}
