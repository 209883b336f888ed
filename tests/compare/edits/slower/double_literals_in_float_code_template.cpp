//! edit: double literals in float code
//! form: template
//! sizes: n=1000
//! reason: f32 became f64|vectors of 8 became 4|convert
//! before
template <typename T>
void stencil(int n, T *__restrict y, const T *__restrict x)
{
    for (int i = 1; i < n - 1; i++)
        y[i] = T(0.3) * (x[i - 1] + x[i] + x[i + 1]);
}
void use(int n, float *__restrict y, const float *__restrict x) { stencil<float>(n, y, x); }
//! after
template <typename T>
void stencil(int n, T *__restrict y, const T *__restrict x)
{
    for (int i = 1; i < n - 1; i++)
        y[i] = 0.3 * (x[i - 1] + x[i] + x[i + 1]);
}
void use(int n, float *__restrict y, const float *__restrict x) { stencil<float>(n, y, x); }
