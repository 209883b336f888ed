//! edit: counting down
//! form: dot, C++
//! sizes: n=1000
//! before
double dot(int n, const double *x, const double *y)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}
//! after
double dot(int n, const double *x, const double *y)
{
    double s = 0;
    for (int i = n - 1; i >= 0; --i)
        s += x[i] * y[i];
    return s;
}
