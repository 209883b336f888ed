#include <stdio.h>
static double scratch[16];
#pragma omp threadprivate(scratch)
static double out[20000];
int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 20000; i++) {
    for (int k = 0; k < 16; k++)
      scratch[k] = i + k;
    out[i] = scratch[3] + scratch[15];
  }
  printf("%g\n", out[4]);
}
