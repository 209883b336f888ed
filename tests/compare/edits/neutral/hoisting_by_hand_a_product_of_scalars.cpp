//! edit: hoisting by hand
//! form: a product of scalars
//! sizes: n=1000
//! before
void scale(int n, double a, double b, double *__restrict y, const double *__restrict x)
{
    for (int i = 0; i < n; i++)
        y[i] = (a * b) * x[i];
}
//! after
void scale(int n, double a, double b, double *__restrict y, const double *__restrict x)
{
    const double ab = a * b;
    for (int i = 0; i < n; i++)
        y[i] = ab * x[i];
}
