//! edit: division added
//! form: by an element
//! sizes: n=1000
//! reason: div.f64
//! before
void scale(int n, double *restrict y, const double *restrict x, const double *restrict w)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * w[i];
}
//! after
void scale(int n, double *restrict y, const double *restrict x, const double *restrict w)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] / w[i];
}
