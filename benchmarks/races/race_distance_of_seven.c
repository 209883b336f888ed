#include <stdio.h>
static long sieve[20007];
int main(void) {
#pragma omp parallel for schedule(static, 3)
  for (int i = 0; i < 20000; i++)
    sieve[i + 7] = sieve[i] + 1;
  printf("%ld\n", sieve[70]);
}
