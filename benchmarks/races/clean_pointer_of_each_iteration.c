#include <stdio.h>
static int src[400][50], dst[400][50];
int main(void) {
#pragma omp parallel for
  for (int r = 0; r < 400; r++) {
    const int *from = src[r];
    int *to = dst[r];
    for (int c = 0; c < 50; c++)
      *to++ = *from++ + 1;
  }
  printf("%d\n", dst[8][1]);
}
