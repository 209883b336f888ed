#include <stdio.h>
static int kept[20000];
int main(void) {
  int m = 0;
#pragma omp parallel for
  for (int i = 0; i < 20000; i++)
    if (i % 5 == 2) {
      int at;
#pragma omp atomic capture
      at = m++;
      kept[at] = i;
    }
  printf("%d %d\n", m, kept[3]);
}
