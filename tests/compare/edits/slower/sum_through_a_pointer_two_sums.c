//! edit: sum through a pointer
//! form: two sums
//! sizes: n=1000
//! reason: stores per iteration
//! why: each store may change the other sum, which is loaded again: measured 4.1 x with gcc 12
//! why: -O2 and -O3 (Rocket Lake), because an addition waits for the store before it
//! before
void totals(int n, double *sum, double *product, const double *x, const double *y)
{
    double s = 0, p = 0;
    for (int i = 0; i < n; i++) {
        s += x[i];
        p += y[i];
    }
    *sum = s;
    *product = p;
}
//! after
void totals(int n, double *sum, double *product, const double *x, const double *y)
{
    *sum = 0;
    *product = 0;
    for (int i = 0; i < n; i++) {
        *sum += x[i];
        *product += y[i];
    }
}
