void triad(int n, double *restrict a, const double *b, const double *c, double s)
{
  for (int i = 0; i < n; i++)
    a[i] = b[i] + s * c[i];
}
