//! edit: ternary
//! form: C
//! sizes: n=1000
//! before
void clip(int n, float *restrict y, const float *restrict x, float top)
{
    for (int i = 0; i < n; i++)
        if (x[i] > top) y[i] = top; else y[i] = x[i];
}
//! after
void clip(int n, float *restrict y, const float *restrict x, float top)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] > top ? top : x[i];
}
