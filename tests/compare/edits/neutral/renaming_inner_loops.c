//! edit: renaming
//! form: inner loops
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
    for (int row = 1; row < n - 1; row++)
        for (int column = 1; column < n - 1; column++)
            b[row * n + column] = 0.25 * (a[(row - 1) * n + column] + a[(row + 1) * n + column]
                                   + a[row * n + column - 1] + a[row * n + column + 1]);
}
