#include <stdio.h>
static double chain[20000];
int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 20000; i++)
    chain[i] = chain[0] * 0.5 + 1;
  printf("%g\n", chain[8]);
}
