#include <stdio.h>
int main(void) {
  double sum = 0;
#pragma omp parallel for if (0)
  for (int i = 0; i < 20000; i++)
    sum += i;
  printf("%g\n", sum);
}
