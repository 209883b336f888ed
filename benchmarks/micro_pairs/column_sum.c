// rule: RL101
// call: A, B, n
// elements: n * n
// size: cache n=200
// size: memory n=4000
void before(double *restrict s, const double *restrict a, int n) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      s[j] += a[i * n + j];
}

void after(double *restrict s, const double *restrict a, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s[j] += a[i * n + j];
}
