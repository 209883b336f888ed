//! edit: call that is not inlined
//! form: noinline
//! sizes: n=1000
//! reason: call of weight
//! before
static double weight(double x) { return 0.5 * x + 1; }
void weigh(int n, double *__restrict y, const double *__restrict x)
{
    for (int i = 0; i < n; i++)
        y[i] = weight(x[i]);
}
//! after
__attribute__((noinline)) static double weight(double x) { return 0.5 * x + 1; }
void weigh(int n, double *__restrict y, const double *__restrict x)
{
    for (int i = 0; i < n; i++)
        y[i] = weight(x[i]);
}
