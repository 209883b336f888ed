#include <stdio.h>
#include <stdlib.h>
static int one[20000], two[20000];
int main(void) {
  double *force = calloc(600, sizeof *force);
  for (int e = 0; e < 20000; e++) {
    one[e] = e % 600;
    two[e] = e * 7 % 600;
  }
#pragma omp parallel for
  for (int e = 0; e < 20000; e++) {
    force[one[e]] += 1;
    force[two[e]] -= 1;
  }
  printf("%g\n", force[3]);
}
