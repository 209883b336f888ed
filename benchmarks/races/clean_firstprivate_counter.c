#include <stdio.h>
static int mark[20000];
int main(void) {
  int offset = 3;
#pragma omp parallel for firstprivate(offset)
  for (int i = 0; i < 20000; i++) {
    mark[i] = offset;
    offset = offset + 1;
  }
  printf("%d\n", mark[0]);
}
