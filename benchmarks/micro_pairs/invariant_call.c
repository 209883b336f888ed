// rule: RL209
// call: A, B, h, n
// size: cache n=1000
#include <math.h>
void before(double *restrict a, const double *restrict x, double rate, int n) {
  for (int i = 0; i < n; i++)
    a[i] = x[i] * exp(rate);
}

void after(double *restrict a, const double *restrict x, double rate, int n) {
  const double factor = exp(rate);
  for (int i = 0; i < n; i++)
    a[i] = x[i] * factor;
}
