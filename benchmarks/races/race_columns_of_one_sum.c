#include <stdio.h>
static double table[300][50], total[50];
int main(void) {
#pragma omp parallel for
  for (int r = 0; r < 300; r++)
    for (int c = 0; c < 50; c++)
      total[c] += table[r][c] + 1;
  printf("%g\n", total[3]);
}
