/* before C89 */
scale(a, n, s)
double *a;
int n;
double s;
{
  int i;
  for (i = 0; i < n; i++) a[i] = a[i] * s;
}
