#include <stdio.h>
static float wave[20000];
int main(void) {
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < 10000; i++) {
    wave[2 * i] = wave[2 * i + 1] + i;
    wave[2 * i + 1] = i;
  }
  printf("%g\n", wave[4]);
}
