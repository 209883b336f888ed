//! edit: size_t
//! form: index alone
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
#include <stddef.h>
double dot(int n, const double *x, const double *y)
{
    double s = 0;
    for (size_t i = 0; i < (size_t)n; i++)
        s += x[i] * y[i];
    return s;
}
