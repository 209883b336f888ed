#include <stdio.h>
static double chain[2000];
int main(void) {
#pragma omp parallel for num_threads(1)
  for (int i = 1; i < 2000; i++)
    chain[i] = chain[i - 1] * 0.5 + 1;
  printf("%g\n", chain[8]);
}
