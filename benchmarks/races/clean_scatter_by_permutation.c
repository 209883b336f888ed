#include <stdio.h>
static double mass[8192];
static int slot[8192];
int main(void) {
  for (int i = 0; i < 8192; i++)
    slot[i] = i * 5 % 8192;
#pragma omp parallel for
  for (int i = 0; i < 8192; i++)
    mass[slot[i]] = mass[slot[i]] + 2;
  printf("%g\n", mass[5]);
}
