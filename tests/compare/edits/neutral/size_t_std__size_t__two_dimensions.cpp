//! edit: size_t
//! form: std::size_t, two dimensions
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
#include <cstddef>
void jacobi(std::size_t n, double *__restrict b, const double *__restrict a)
{
    for (std::size_t i = 1; i < n - 1; i++)
        for (std::size_t j = 1; j < n - 1; j++)
            b[i * n + j] = 0.25 * (a[(i - 1) * n + j] + a[(i + 1) * n + j]
                                   + a[i * n + j - 1] + a[i * n + j + 1]);
}
