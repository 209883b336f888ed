// rule: RL307 first 2 of
// call: A, B, C, D, n
// size: cache n=800
void before(double *restrict a, double *restrict b, double *restrict y, const double *restrict x,
            int n) {
  for (int i = 1; i < n; i++) {
    a[i] = 1.0 / (x[i] * x[i] + 1.0) + 1.0 / (x[i] + 2.0) + 1.0 / (x[i] + 3.0);
    b[i] = x[i] / (x[i] + 4.0);
    y[i] = 0.5 * y[i - 1] + a[i];
  }
}

void after(double *restrict a, double *restrict b, double *restrict y, const double *restrict x,
           int n) {
  for (int i = 1; i < n; i++) {
    a[i] = 1.0 / (x[i] * x[i] + 1.0) + 1.0 / (x[i] + 2.0) + 1.0 / (x[i] + 3.0);
    b[i] = x[i] / (x[i] + 4.0);
  }
  for (int i = 1; i < n; i++)
    y[i] = 0.5 * y[i - 1] + a[i];
}
