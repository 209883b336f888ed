//! edit: division added
//! form: by an invariant
//! sizes: n=1000
//! reason: div.f64
//! otherwise: gcc -O3 -ffast-math
//! why: its reciprocal is computed before the loop (-freciprocal-math)
//! before
void normalise(int n, double *__restrict y, const double *__restrict x, double length)
{
    const double inverse = 1 / length;
    for (int i = 0; i < n; i++)
        y[i] = x[i] * inverse;
}
//! after
void normalise(int n, double *__restrict y, const double *__restrict x, double length)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] / length;
}
