#include <stdio.h>
static int out[20000];
static int twice(int x) {
  static _Thread_local int kept;
  kept = x * 2;
  return kept + 1;
}
int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 20000; i++)
    out[i] = twice(i);
  printf("%d\n", out[4]);
}
