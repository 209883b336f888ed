#include <stdio.h>
static int cube[24][24][24];
int main(void) {
  int x, y, z;
#pragma omp parallel for collapse(3)
  for (x = 0; x < 24; x++)
    for (y = 0; y < 24; y++)
      for (z = 0; z < 24; z++)
        cube[x][y][z] = x + y + z;
  printf("%d\n", cube[1][2][3]);
}
