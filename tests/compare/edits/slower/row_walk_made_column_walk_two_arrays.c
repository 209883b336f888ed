//! edit: row walk made column walk
//! form: two arrays
//! sizes: n=1000, m=1000
//! reason: unit stride of
//! before
void scale(int n, int m, double a[n][m], const double b[n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] = 2 * b[i][j];
}
//! after
void scale(int n, int m, double a[n][m], const double b[n][m])
{
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            a[i][j] = 2 * b[i][j];
}
