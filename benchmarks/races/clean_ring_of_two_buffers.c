#include <stdio.h>
static double ring[2][8000];
int main(void) {
  for (int t = 0; t < 10; t++) {
#pragma omp parallel for
    for (int i = 1; i < 7999; i++)
      ring[(t + 1) % 2][i] = 0.5 * (ring[t % 2][i - 1] + ring[t % 2][i + 1]);
  }
  printf("%g\n", ring[0][4]);
}
