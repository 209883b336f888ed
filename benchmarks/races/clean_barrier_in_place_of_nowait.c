#include <stdio.h>
static float in[16000], out[16000];
int main(void) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < 16000; i++)
      in[i] = i;
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < 16000; i++)
      out[i] = in[15999 - i];
  }
  printf("%g\n", out[4]);
}
