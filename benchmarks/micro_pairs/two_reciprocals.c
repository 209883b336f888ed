// rule: RL203
// call: A, B, C, n
// size: cache n=1000
void before(double *restrict a, const double *restrict x, const double *restrict y, int n) {
  for (int i = 0; i < n; i++)
    a[i] = 1.0 / x[i] + 1.0 / y[i];
}

void after(double *restrict a, const double *restrict x, const double *restrict y, int n) {
  for (int i = 0; i < n; i++)
    a[i] = (y[i] + x[i]) / (x[i] * y[i]);
}
