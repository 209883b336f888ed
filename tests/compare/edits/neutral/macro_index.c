//! edit: macro
//! form: index
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
#define AT(m, i, j) (m)[(i) * n + (j)]
void jacobi(int n, double *restrict b, const double *restrict a)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            AT(b, i, j) = 0.25 * (AT(a, i - 1, j) + AT(a, i + 1, j)
                                  + AT(a, i, j - 1) + AT(a, i, j + 1));
}
