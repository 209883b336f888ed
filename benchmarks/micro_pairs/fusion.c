// rule: RL104
// call: A, B, C, n
// size: cache n=1000
// size: memory n=6000000
void before(double *restrict a, double *restrict b, const double *restrict c, int n) {
  for (int i = 0; i < n; i++)
    a[i] = 2.0 * c[i];
  for (int i = 0; i < n; i++)
    b[i] = c[i] + 1.0;
}

void after(double *restrict a, double *restrict b, const double *restrict c, int n) {
  for (int i = 0; i < n; i++) {
    a[i] = 2.0 * c[i];
    b[i] = c[i] + 1.0;
  }
}
