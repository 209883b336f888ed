#include <stdio.h>
static double x[20000];
int main(void) {
  double last = 0;
#pragma omp parallel for lastprivate(last)
  for (int i = 0; i < 20000; i++) {
    last = i * 0.1;
    x[i] = last;
  }
  printf("%g %g\n", last, x[4]);
}
