//! edit: size_t
//! form: C
//! sizes: n=1000
//! before
void axpy(int n, double a, double *restrict y, const double *restrict x)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}
//! after
#include <stddef.h>
void axpy(size_t n, double a, double *restrict y, const double *restrict x)
{
    for (size_t i = 0; i < n; i++)
        y[i] += a * x[i];
}
