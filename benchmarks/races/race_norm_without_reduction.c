#include <stdio.h>
static float v[30000];
int main(void) {
  float norm = 0;
  for (int i = 0; i < 30000; i++)
    v[i] = i % 13;
#pragma omp parallel for
  for (int i = 0; i < 30000; i++)
    norm += v[i] * v[i];
  printf("%g\n", norm);
}
