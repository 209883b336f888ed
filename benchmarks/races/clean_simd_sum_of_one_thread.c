#include <stdio.h>
static double x[20000];
int main(void) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < 20000; i++)
    sum += x[i];
  printf("%g\n", sum);
}
