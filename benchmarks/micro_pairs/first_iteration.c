// rule: RL303
// call: A, B, n
// size: cache n=1000
void before(double *restrict a, const double *restrict x, int n) {
  for (int i = 0; i < n; i++) {
    if (i == 0)
      a[i] = x[i];
    else
      a[i] = x[i] - x[i - 1];
  }
}

void after(double *restrict a, const double *restrict x, int n) {
  a[0] = x[0];
  for (int i = 1; i < n; i++)
    a[i] = x[i] - x[i - 1];
}
