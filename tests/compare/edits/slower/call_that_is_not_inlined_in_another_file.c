//! edit: call that is not inlined
//! form: in another file
//! sizes: n=1000
//! reason: call of weight
//! before
static inline double weight(double x) { return 0.5 * x + 1; }
void weigh(int n, double *restrict y, const double *restrict x)
{
    for (int i = 0; i < n; i++)
        y[i] = weight(x[i]);
}
//! after
double weight(double x);
void weigh(int n, double *restrict y, const double *restrict x)
{
    for (int i = 0; i < n; i++)
        y[i] = weight(x[i]);
}
