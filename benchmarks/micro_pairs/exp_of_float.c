// rule: RL206
// call: A, B, n
// type: float
// size: cache n=1000
#include <math.h>
void before(float *restrict a, const float *restrict x, int n) {
  for (int i = 0; i < n; i++)
    a[i] = exp(x[i]);
}

void after(float *restrict a, const float *restrict x, int n) {
  for (int i = 0; i < n; i++)
    a[i] = expf(x[i]);
}
