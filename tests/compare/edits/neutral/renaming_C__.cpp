//! edit: renaming
//! form: C++
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
void gemv(int n, double *__restrict y, const double *__restrict a, const double *__restrict v)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += a[i * n + j] * v[j];
        y[i] = sum;
    }
}
