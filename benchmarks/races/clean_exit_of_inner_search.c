#include <stdio.h>
static int v[300][64], at[300];
int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 300; i++) {
    int j;
    for (j = 0; j < 64; j++)
      if (v[i][j] == 7)
        break;
    at[i] = j;
  }
  printf("%d\n", at[4]);
}
