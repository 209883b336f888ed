#include <omp.h>
#include <stdio.h>
static double part[256][8];
int main(void) {
  double sum = 0;
#pragma omp parallel for
  for (int i = 0; i < 20000; i++)
    part[omp_get_thread_num()][0] += i;
  for (int t = 0; t < 256; t++)
    sum += part[t][0];
  printf("%g\n", sum);
}
