#include <stdio.h>
static int hits;
static void mark(int value) {
  if (value % 3 == 0)
    hits++;
}
int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 20000; i++)
    mark(i);
  printf("%d\n", hits);
}
