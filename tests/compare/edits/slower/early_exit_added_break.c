//! edit: early exit added
//! form: break
//! sizes: n=1000
//! reason: vectors of . became 1|compare.f32
//! before
void scale(int n, float *restrict y, const float *restrict x)
{
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
//! after
void scale(int n, float *restrict y, const float *restrict x)
{
    for (int i = 0; i < n; i++) {
        if (x[i] < 0)
            break;
        y[i] = 2 * x[i];
    }
}
