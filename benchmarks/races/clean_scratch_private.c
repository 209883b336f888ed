#include <stdio.h>
static double from[20000], to[20000];
int main(void) {
  double difference;
#pragma omp parallel for private(difference)
  for (int i = 0; i < 20000; i++) {
    difference = from[i] - i;
    to[i] = difference * difference;
  }
  printf("%g\n", to[5]);
}
