//! edit: ternary
//! form: C++
//! sizes: n=1000
//! before
void clip(int n, float *__restrict y, const float *__restrict x, float top)
{
    for (int i = 0; i < n; i++)
        {
            float v = x[i];
            if (v > top)
                v = top;
            y[i] = v;
        }
}
//! after
void clip(int n, float *__restrict y, const float *__restrict x, float top)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] > top ? top : x[i];
}
