//! edit: one pass split in two
//! form: two results
//! sizes: n=10000000
//! reason: 1 more loop
//! before
void moments(int n, double *restrict u, double *restrict v, const double *restrict x)
{
    for (int i = 0; i < n; i++) {
        u[i] = 2 * x[i];
        v[i] = x[i] * x[i];
    }
}
//! after
void moments(int n, double *restrict u, double *restrict v, const double *restrict x)
{
    for (int i = 0; i < n; i++)
        u[i] = 2 * x[i];
    for (int i = 0; i < n; i++)
        v[i] = x[i] * x[i];
}
