#include <stdio.h>
static double pair[200][200];
int main(void) {
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < 200; i++)
    for (int j = 0; j < i; j++) {
      pair[i][j] = i + j;
      pair[j][i] = i + j;
    }
  printf("%g\n", pair[3][1]);
}
