#include <stdio.h>
static int ok[20000];
int main(void) {
  int all = 1;
#pragma omp parallel for
  for (int i = 0; i < 20000; i++)
    all = all && ok[i] >= 0;
  printf("%d\n", all);
}
