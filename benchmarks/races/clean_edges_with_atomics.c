#include <stdio.h>
static double force[600];
static int one[20000], two[20000];
int main(void) {
  for (int e = 0; e < 20000; e++) {
    one[e] = e % 600;
    two[e] = e * 7 % 600;
  }
#pragma omp parallel for
  for (int e = 0; e < 20000; e++) {
    double pull = e * 0.001;
#pragma omp atomic
    force[one[e]] += pull;
#pragma omp atomic
    force[two[e]] -= pull;
  }
  printf("%g\n", force[3]);
}
