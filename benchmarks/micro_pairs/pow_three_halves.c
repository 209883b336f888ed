// rule: RL204
// call: A, B, n
// size: cache n=1000
#include <math.h>
void before(double *restrict a, const double *restrict x, int n) {
  for (int i = 0; i < n; i++)
    a[i] = pow(x[i], 1.5);
}

void after(double *restrict a, const double *restrict x, int n) {
  for (int i = 0; i < n; i++)
    a[i] = x[i] * sqrt(x[i]);
}
