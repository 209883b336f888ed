#include <stdio.h>
static double a[200][200];
int main(void) {
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < 200; i++)
    for (int j = 0; j < 200; j++) {
      double t = a[i][j];
      a[i][j] = a[j][i];
      a[j][i] = t;
    }
  printf("%g\n", a[4][5]);
}
