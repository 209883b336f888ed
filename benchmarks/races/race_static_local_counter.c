#include <stdio.h>
static int order[20000];
int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 20000; i++) {
    static int next;
    next = next + 1;
    order[i] = next;
  }
  printf("%d\n", order[7]);
}
