//! edit: hoisting by hand
//! form: row offset
//! sizes: n=500
//! before
void jacobi(int n, double *restrict b, const double *restrict a)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            b[i * n + j] = 0.25 * (a[(i - 1) * n + j] + a[(i + 1) * n + j]
                                   + a[i * n + j - 1] + a[i * n + j + 1]);
}
//! after
void jacobi(int n, double *restrict b, const double *restrict a)
{
    for (int i = 1; i < n - 1; i++)
        {
        const int row = i * n;
        for (int j = 1; j < n - 1; j++)
            b[row + j] = 0.25 * (a[(i - 1) * n + j] + a[(i + 1) * n + j]
                                   + a[row + j - 1] + a[row + j + 1]);
    }
}
