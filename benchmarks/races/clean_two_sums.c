#include <stdio.h>
int main(void) {
  double mean = 0, square = 0;
#pragma omp parallel for reduction(+ : mean, square)
  for (int i = 0; i < 20000; i++) {
    double x = i * 0.25;
    mean += x;
    square += x * x;
  }
  printf("%g %g\n", mean, square);
}
