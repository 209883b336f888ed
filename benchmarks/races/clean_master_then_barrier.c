#include <stdio.h>
static double x[20000];
int main(void) {
  double scale = 0;
#pragma omp parallel
  {
#pragma omp master
    scale = 3;
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < 20000; i++)
      x[i] = scale * i;
  }
  printf("%g\n", x[4]);
}
