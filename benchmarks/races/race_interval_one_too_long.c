#include <stdio.h>
static int a[40 * 128 + 1];
int main(void) {
#pragma omp parallel for
  for (int b = 0; b < 40; b++)
    for (int i = b * 128; i <= (b + 1) * 128; i++)
      a[i] = b;
  printf("%d\n", a[4]);
}
