//! edit: row pointers
//! form: stencil, C++
//! sizes: n=500
//! before
void jacobi(int n, double *__restrict b, const double *__restrict a)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            b[i * n + j] = 0.25 * (a[(i - 1) * n + j] + a[(i + 1) * n + j]
                                   + a[i * n + j - 1] + a[i * n + j + 1]);
}
//! after
void jacobi(int n, double *__restrict b, const double *__restrict a)
{
    for (int i = 1; i < n - 1; i++) {
        const double *above = &a[(i - 1) * n], *here = &a[i * n], *below = &a[(i + 1) * n];
        double *to = &b[i * n];
        for (int j = 1; j < n - 1; j++)
            to[j] = 0.25 * (above[j] + below[j] + here[j - 1] + here[j + 1]);
    }
}
