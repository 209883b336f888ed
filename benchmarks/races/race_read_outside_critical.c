#include <stdio.h>
static double seen[20000];
int main(void) {
  double last = 0;
#pragma omp parallel for schedule(static, 4)
  for (int i = 0; i < 20000; i++) {
    seen[i] = last;
#pragma omp critical
    last = i * 0.5;
  }
  printf("%g %g\n", last, seen[9]);
}
