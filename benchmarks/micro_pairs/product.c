// rule: RL101 order i, k, j
// call: A, B, C, n
// elements: n * n
// size: cache n=192
void before(double *restrict c, const double *restrict a, const double *restrict b, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void after(double *restrict c, const double *restrict a, const double *restrict b, int n) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
