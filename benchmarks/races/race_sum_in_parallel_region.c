#include <stdio.h>
int main(void) {
  double heat = 0;
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < 20000; i++)
      heat += i * 0.5;
  }
  printf("%g\n", heat);
}
