#include <stdio.h>
static double cell[20002];
int main(void) {
#pragma omp parallel for
  for (int i = 1; i < 20000; i += 2)
    cell[i] = 0.5 * (cell[i - 1] + cell[i + 1]);
  printf("%g\n", cell[5]);
}
