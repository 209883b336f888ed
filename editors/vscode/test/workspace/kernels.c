/* é 😀 */ enum { N = 2000 };
double a[N][N], b[N][N];

void columns(void)
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            a[i][j] = 2.0 * b[i][j];
}

void triad(int n, double *restrict x, const double *restrict y, const double *restrict z, double s)
{
    for (int i = 0; i < n; i++)
        x[i] = y[i] + s * z[i];
}

double dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}
