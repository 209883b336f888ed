// rule: RL203
// call: A, B, C, D, n
// size: cache n=1000
// size: memory n=6000000
void before(double *restrict a, const double *restrict x, const double *restrict y,
            const double *restrict z, int n) {
  for (int i = 0; i < n; i++)
    a[i] = x[i] / y[i] / z[i];
}

void after(double *restrict a, const double *restrict x, const double *restrict y,
           const double *restrict z, int n) {
  for (int i = 0; i < n; i++)
    a[i] = x[i] / (y[i] * z[i]);
}
