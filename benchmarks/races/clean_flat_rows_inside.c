#include <stdio.h>
static int sheet[200 * 40];
int main(void) {
#pragma omp parallel for
  for (int r = 0; r < 200; r++)
    for (int c = 0; c < 39; c++)
      sheet[r * 40 + c + 1] = sheet[r * 40 + c] + 1;
  printf("%d\n", sheet[99]);
}
