// rule: RL102
// call: A, B, n
// elements: n * n
// size: cache n=200
// size: memory n=4000
void before(double *restrict b, const double *restrict a, int n) {
  for (int j = 0; j < n; j++) {
    double s = 0.0;
    for (int i = 0; i < n; i++)
      s += a[i * n + j];
    b[j] = 0.1 * s;
  }
}

void after(double *restrict b, const double *restrict a, int n) {
  for (int j = 0; j < n; j++)
    b[j] = 0.0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[j] += a[i * n + j];
  for (int j = 0; j < n; j++)
    b[j] *= 0.1;
}
