#include <stdio.h>
static double chain[2001];
int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 2000; i++)
    chain[i] = chain[2000] * 0.5 + 1;
  printf("%g\n", chain[8]);
}
