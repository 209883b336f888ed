#include <stdio.h>
static float v[30000];
int main(void) {
  float norm = 0;
#pragma omp parallel for reduction(+ : norm)
  for (int i = 0; i < 30000; i++) {
    v[i] = i % 13;
    norm += v[i] * v[i];
  }
  printf("%g\n", norm);
}
