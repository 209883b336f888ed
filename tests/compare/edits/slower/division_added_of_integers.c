//! edit: division added
//! form: of integers
//! sizes: n=1000
//! reason: div.i32
//! before
void bins(int n, int *restrict y, const int *restrict x, int width)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] - width;
}
//! after
void bins(int n, int *restrict y, const int *restrict x, int width)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] / width;
}
