#include <stdio.h>
static double t[150][150];
int main(void) {
#pragma omp parallel for schedule(static, 1)
  for (int i = 1; i < 150; i++)
    t[i][i] = t[i - 1][i - 1] + 1;
  printf("%g\n", t[4][4]);
}
