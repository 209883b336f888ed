// rule: RL304
// call: A, B, one, n
// size: cache n=1000
void before(double *restrict a, const double *restrict x, int twice, int n) {
  for (int i = 0; i < n; i++) {
    if (twice)
      a[i] = 2.0 * x[i];
    else
      a[i] = x[i] + 1.0;
  }
}

void after(double *restrict a, const double *restrict x, int twice, int n) {
  if (twice)
    for (int i = 0; i < n; i++)
      a[i] = 2.0 * x[i];
  else
    for (int i = 0; i < n; i++)
      a[i] = x[i] + 1.0;
}
