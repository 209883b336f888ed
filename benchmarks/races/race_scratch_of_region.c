#include <omp.h>
#include <stdio.h>
static double x[20000];
int main(void) {
  double own = 0;
#pragma omp parallel
  {
    own = omp_get_thread_num() * 0.5;
#pragma omp for
    for (int i = 0; i < 20000; i++)
      x[i] = own * i;
  }
  printf("%g\n", x[4]);
}
