#include <stdio.h>
static float m[300][64], v[64], y[300];
int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 300; i++) {
    float s = 0;
#pragma omp simd reduction(+ : s)
    for (int j = 0; j < 64; j++)
      s += m[i][j] * v[j];
    y[i] = s;
  }
  printf("%g\n", y[4]);
}
