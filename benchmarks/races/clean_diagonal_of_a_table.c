#include <stdio.h>
static double t[150][150];
int main(void) {
#pragma omp parallel for
  for (int i = 1; i < 150; i++)
    t[i][i] = t[i][i - 1] + 1;
  printf("%g\n", t[4][4]);
}
