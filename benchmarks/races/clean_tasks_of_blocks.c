#include <stdio.h>
static double block[64][256];
int main(void) {
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < 64; k++) {
#pragma omp task firstprivate(k)
    for (int i = 0; i < 256; i++)
      block[k][i] = k * i;
  }
  printf("%g\n", block[3][4]);
}
