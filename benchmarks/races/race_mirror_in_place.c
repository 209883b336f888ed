#include <stdio.h>
static int track[20000];
int main(void) {
  for (int i = 0; i < 20000; i++)
    track[i] = i;
#pragma omp parallel for schedule(static, 8)
  for (int i = 0; i < 20000; i++)
    track[i] = track[19999 - i];
  printf("%d\n", track[5]);
}
