// rule: none
// call: A, B, n
// size: cache n=1000
// size: memory n=8000000
void before(double *restrict a, const double *restrict x, int n) {
  for (int i = 0; i < n; i++)
    a[i] = 2.0 * x[i] + 1.0;
}

void after(double *restrict a, const double *restrict x, int n) {
  for (int i = 0; i < n; i++)
    a[i] = 2.0 * x[i] + 1.0;
}
