#include <stdio.h>
static float plate[256][64];
static int c;
int main(void) {
#pragma omp parallel for
  for (int r = 0; r < 256; r++)
    for (c = 0; c < 64; c++)
      plate[r][c] = r - c;
  printf("%g\n", plate[9][8]);
}
