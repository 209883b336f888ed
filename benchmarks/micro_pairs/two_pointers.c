// rule: RL301
// call: A, B, n
// size: cache n=1000
void before(double *a, const double *x, int n) {
  for (int i = 0; i < n; i++)
    a[i] = 2.0 * x[i];
}

void after(double *restrict a, const double *restrict x, int n) {
  for (int i = 0; i < n; i++)
    a[i] = 2.0 * x[i];
}
