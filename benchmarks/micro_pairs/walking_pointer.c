// rule: RL308
// call: A, B, n
// size: cache n=1000
void before(double *restrict a, const double *restrict x, int n) {
  const double *p = x;
  for (int i = 0; i < n; i++)
    a[i] = 2.0 * *p++;
}

void after(double *restrict a, const double *restrict x, int n) {
  for (int i = 0; i < n; i++)
    a[i] = 2.0 * x[i];
}
