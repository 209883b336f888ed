#include <stdio.h>
static int a[4000], b[4000];
int main(void) {
  int sum = 0;
#pragma omp parallel sections
  {
#pragma omp section
    for (int i = 0; i < 4000; i++)
      sum += a[i];
#pragma omp section
    for (int i = 0; i < 4000; i++)
      sum += b[i];
  }
  printf("%d\n", sum);
}
