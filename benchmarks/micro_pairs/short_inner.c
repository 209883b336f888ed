// rule: RL306
// call: A, B, n
// type: float
// size: cache n=400
void before(float *restrict a, const float *restrict b, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 10; j++)
      a[j * n + i] += b[j * n + i];
}

void after(float *restrict a, const float *restrict b, int n) {
  for (int j = 0; j < 10; j++)
    for (int i = 0; i < n; i++)
      a[j * n + i] += b[j * n + i];
}
