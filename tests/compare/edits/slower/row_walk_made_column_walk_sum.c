//! edit: row walk made column walk
//! form: sum
//! sizes: n=2000, m=2000
//! reason: unit stride of a lost
//! before
double total(int n, int m, const double *a)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            s += a[i * m + j];
    return s;
}
//! after
double total(int n, int m, const double *a)
{
    double s = 0;
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            s += a[i * m + j];
    return s;
}
