// rule: RL302
// call: A, B, n
// size: cache n=1000
void before(double *restrict a, const double *restrict x, int n) {
  int i = 0;
  while (i < n) {
    a[i] = 2.0 * x[i];
    i++;
  }
}

void after(double *restrict a, const double *restrict x, int n) {
  for (int i = 0; i < n; i++)
    a[i] = 2.0 * x[i];
}
