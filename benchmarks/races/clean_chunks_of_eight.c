#include <stdio.h>
static int a[16000];
int main(void) {
#pragma omp parallel for schedule(static, 8)
  for (int i = 0; i < 16000; i++)
    if (i % 8 != 0)
      a[i] = a[i - 1] + 1;
  printf("%d\n", a[15]);
}
