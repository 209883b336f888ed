//! edit: pow(x, 3)
//! form: std::pow
//! sizes: n=1000
//! reason: call of pow
//! otherwise: gcc -O3 -ffast-math
//! why: gcc makes products of it (fold_builtin_pow, -funsafe-math-optimizations)
//! before
#include <cmath>
void cube(int n, double *__restrict y, const double *__restrict x)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * x[i] * x[i];
}
//! after
#include <cmath>
void cube(int n, double *__restrict y, const double *__restrict x)
{
    for (int i = 0; i < n; i++)
        y[i] = std::pow(x[i], 3);
}
