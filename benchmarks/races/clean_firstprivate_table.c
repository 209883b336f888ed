#include <stdio.h>
static int out[20000];
int main(void) {
  int table[16] = {0};
#pragma omp parallel for firstprivate(table)
  for (int i = 0; i < 20000; i++) {
    table[i & 15] += 1;
    out[i] = table[i & 15] > 0;
  }
  printf("%d\n", out[4]);
}
