#include <stdio.h>
static int src[20000], dst[20000];
int main(void) {
  int *p = dst;
#pragma omp parallel for
  for (int i = 0; i < 20000; i++)
    *p++ = src[i] + 1;
  printf("%d\n", dst[8]);
}
