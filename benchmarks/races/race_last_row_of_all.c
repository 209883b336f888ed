#include <stdio.h>
static double sheet[100][30];
int main(void) {
#pragma omp parallel for
  for (int r = 0; r < 99; r++)
    for (int c = 0; c < 30; c++)
      sheet[99][c] += sheet[r][c];
  printf("%g\n", sheet[99][4]);
}
