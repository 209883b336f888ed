// rule: RL109
// call: A, B, C, X, n
// size: cache n=1000
// size: memory n=5000000
static double gathered[5000000];
void before(double *restrict a, const double *restrict x, const double *restrict y,
            const int *restrict at, int n) {
  for (int i = 0; i < n; i++)
    a[i] = x[at[i]] * y[i] + a[i];
}

void after(double *restrict a, const double *restrict x, const double *restrict y,
           const int *restrict at, int n) {
  for (int i = 0; i < n; i++)
    gathered[i] = x[at[i]];
  for (int i = 0; i < n; i++)
    a[i] = gathered[i] * y[i] + a[i];
}
