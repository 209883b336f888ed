// rule: RL103 16
// call: A, B, n
// elements: n * n
// size: cache n=64
// size: memory n=4000
// size: memory n=4096
void before(double *restrict a, const double *restrict b, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] = b[j * n + i];
}

void after(double *restrict a, const double *restrict b, int n) {
  for (int ii = 0; ii < n; ii += 16)
    for (int jj = 0; jj < n; jj += 16)
      for (int i = ii; i < ii + 16; i++)
        for (int j = jj; j < jj + 16; j++)
          a[i * n + j] = b[j * n + i];
}
