//! edit: double literals in float code
//! form: product and sum
//! sizes: n=1000
//! reason: f32 became f64
//! before
void line(int n, float *restrict y, const float *restrict x)
{
    for (int i = 0; i < n; i++)
        y[i] = 2.5f * x[i] + 1.1f;
}
//! after
void line(int n, float *restrict y, const float *restrict x)
{
    for (int i = 0; i < n; i++)
        y[i] = 2.5 * x[i] + 1.1;
}
