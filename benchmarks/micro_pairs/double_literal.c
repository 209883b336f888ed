// rule: RL205
// call: A, B, n
// type: float
// size: cache n=2000
void before(float *restrict a, const float *restrict x, int n) {
  for (int i = 0; i < n; i++)
    a[i] = 2.2 * x[i] + 0.3;
}

void after(float *restrict a, const float *restrict x, int n) {
  for (int i = 0; i < n; i++)
    a[i] = 2.2f * x[i] + 0.3f;
}
