//! edit: pow(x, 3)
//! form: powf
//! sizes: n=1000
//! reason: call of pow
//! otherwise: gcc -O3 -ffast-math
//! why: gcc makes products of it (fold_builtin_pow, -funsafe-math-optimizations)
//! before
#include <math.h>
void cube(int n, float *__restrict y, const float *__restrict x)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * x[i] * x[i];
}
//! after
#include <math.h>
void cube(int n, float *__restrict y, const float *__restrict x)
{
    for (int i = 0; i < n; i++)
        y[i] = powf(x[i], 3.0f);
}
