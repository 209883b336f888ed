#include <stdio.h>
static int v[20000];
int main(void) {
  int bad = 0;
#pragma omp parallel for
  for (int i = 0; i < 20000; i++)
    if (v[i] == 0)
      bad = 1;
  printf("%d\n", bad);
}
