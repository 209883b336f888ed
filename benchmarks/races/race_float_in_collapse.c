#include <stdio.h>
static double field[128][128];
int main(void) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < 127; i++)
    for (int j = 0; j < 128; j++)
      field[i][j] = field[i + 1][j] * 0.5;
  printf("%g\n", field[3][4]);
}
