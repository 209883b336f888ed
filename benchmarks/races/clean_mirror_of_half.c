#include <stdio.h>
static int track[20000];
int main(void) {
  for (int i = 0; i < 20000; i++)
    track[i] = i;
#pragma omp parallel for schedule(static, 8)
  for (int i = 0; i < 10000; i++) {
    int kept = track[i];
    track[i] = track[19999 - i];
    track[19999 - i] = kept;
  }
  printf("%d\n", track[5]);
}
