// rule: RL212
// call: A, B, C, 10000, 100
// size: cache n=10000 nx=100
void before(double *restrict a, const double *restrict x, const double *restrict w, int n, int nx) {
  for (int i = 0; i < n; i++)
    a[i] = x[i] * w[i % nx];
}

void after(double *restrict a, const double *restrict x, const double *restrict w, int n, int nx) {
  for (int row = 0; row * nx < n; row++)
    for (int column = 0; column < nx; column++)
      a[row * nx + column] = x[row * nx + column] * w[column];
}
