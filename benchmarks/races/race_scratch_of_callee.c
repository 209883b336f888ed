#include <stdio.h>
static double out[20000];
static double polish(double x) {
  static double scratch;
  scratch = x * 0.5;
  return scratch + 1;
}
int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 20000; i++)
    out[i] = polish(i);
  printf("%g\n", out[7]);
}
