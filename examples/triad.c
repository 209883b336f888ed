/* The STREAM triad: two flops for 24 to 32 bytes, so on most machines memory decides. */
void triad(int n, double *restrict a, const double *restrict b, const double *restrict c, double s)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] + s * c[i];
}

/* The same on all cores of a socket: more bandwidth, the same intensity. */
void triad_parallel(int n, double *restrict a, const double *restrict b,
                    const double *restrict c, double s)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] = b[i] + s * c[i];
}
