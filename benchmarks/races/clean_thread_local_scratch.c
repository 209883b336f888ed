#include <stdio.h>
static _Thread_local double scratch[4];
static double out[20000];
int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 20000; i++) {
    scratch[i & 3] = i;
    out[i] = scratch[i & 3] * 2;
  }
  printf("%g\n", out[4]);
}
