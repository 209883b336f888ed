#include <stdio.h>
static float plate[256][64];
int main(void) {
  int r, c;
#pragma omp parallel for private(c)
  for (r = 0; r < 256; r++)
    for (c = 0; c < 64; c++)
      plate[r][c] = r - c;
  printf("%g\n", plate[9][8]);
}
