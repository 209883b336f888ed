#include <stdio.h>
static double wave[20000];
int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 10000; i++)
    wave[i] = wave[i + 10000] * 0.5 + i;
  printf("%g\n", wave[5]);
}
