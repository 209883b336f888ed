// rule: RL205
// call: A, B, n
// type: float
// size: cache n=2000
void before(float *restrict a, const float *restrict x, int n) {
  for (int i = 0; i < n; i++)
    a[i] = 0.5 * x[i];
}

void after(float *restrict a, const float *restrict x, int n) {
  for (int i = 0; i < n; i++)
    a[i] = 0.5f * x[i];
}
