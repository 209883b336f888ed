#include <stdio.h>
#include <stdlib.h>
int main(void) {
  double **row = malloc(300 * sizeof *row);
  for (int i = 0; i < 300; i++)
    row[i] = calloc(40, sizeof **row);
#pragma omp parallel for
  for (int i = 0; i < 300; i++)
    for (int j = 1; j < 40; j++)
      row[i][j] = row[i][j - 1] + 1;
  printf("%g\n", row[4][5]);
}
