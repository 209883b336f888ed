#include <stdio.h>
static double grid[400][32];
int main(void) {
#pragma omp parallel for
  for (int r = 0; r < 400; r++) {
    double row[32];
    for (int c = 0; c < 32; c++)
      row[c] = r * c;
    for (int c = 0; c < 32; c++)
      grid[r][c] = row[31 - c];
  }
  printf("%g\n", grid[3][4]);
}
