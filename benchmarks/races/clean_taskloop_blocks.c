#include <stdio.h>
static double x[20000];
int main(void) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop
  for (int i = 0; i < 20000; i++)
    x[i] = i;
  printf("%g\n", x[3]);
}
