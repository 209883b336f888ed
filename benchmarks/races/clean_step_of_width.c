#include <stdio.h>
static float out[20004];
int main(void) {
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < 20000; i += 4)
    for (int k = 0; k < 4; k++)
      out[i + k] += 1;
  printf("%g\n", out[8]);
}
