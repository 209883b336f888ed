#include <stdio.h>
static double v[20000], x;
static void fill(void) {
#pragma omp for
  for (int i = 0; i < 20000; i++) {
    x = i * 0.5;
    v[i] = x;
  }
}
int main(void) {
#pragma omp parallel
  fill();
  printf("%g\n", v[8]);
}
