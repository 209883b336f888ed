#include <stdio.h>
static int key[20000];
int main(void) {
  int where = -1;
  for (int i = 0; i < 20000; i++)
    key[i] = i * 3;
#pragma omp parallel for
  for (int i = 0; i < 20000; i++)
    if (i == 500)
      where = key[i];
  printf("%d\n", where);
}
