#include <stdio.h>
static double level[20001], next[20001];
int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 20000; i++)
    next[i] = 0.5 * (level[i] + level[i + 1]);
  printf("%g\n", next[5]);
}
