#include <stdio.h>
static double pair[200][200];
int main(void) {
#pragma omp parallel for schedule(static, 1)
  for (int i = 1; i < 200; i++)
    for (int j = 0; j < i; j++) {
      pair[i][0] += 1;
      pair[j][0] += 1;
    }
  printf("%g\n", pair[3][0]);
}
