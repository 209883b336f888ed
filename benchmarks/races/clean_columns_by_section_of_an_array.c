#include <stdio.h>
static double table[300][50];
static void add(double *total) {
#pragma omp parallel for reduction(+ : total[ : 50])
  for (int r = 0; r < 300; r++)
    for (int c = 0; c < 50; c++)
      total[c] += table[r][c] + 1;
}
int main(void) {
  double sums[50] = {0};
  add(sums);
  printf("%g\n", sums[3]);
}
