// rule: RL207
// call: A, B, C, n
// size: cache n=1000
#include <math.h>
void before(double *restrict a, const double *restrict x, const double *restrict y, int n) {
  for (int i = 0; i < n; i++)
    a[i] = x[i] * y[i] + a[i];
}

void after(double *restrict a, const double *restrict x, const double *restrict y, int n) {
  for (int i = 0; i < n; i++)
    a[i] = fma(x[i], y[i], a[i]);
}
