#include <stdio.h>
static int a[4000], b[4000];
int main(void) {
#pragma omp parallel sections
  {
#pragma omp section
    for (int i = 0; i < 4000; i++)
      a[i] = i;
#pragma omp section
    for (int i = 0; i < 4000; i++)
      b[i] = 2 * i;
  }
  printf("%d\n", a[3] + b[3]);
}
