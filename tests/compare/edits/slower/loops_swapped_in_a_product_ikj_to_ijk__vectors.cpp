//! edit: loops swapped in a product
//! form: ikj to ijk, vectors
//! sizes: n=200
//! reason: unit stride of b lost
//! before
#include <vector>
void product(int n, std::vector<double> &c, const std::vector<double> &a,
             const std::vector<double> &b)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}
//! after
#include <vector>
void product(int n, std::vector<double> &c, const std::vector<double> &a,
             const std::vector<double> &b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}
