#include <stdio.h>
static unsigned char text[40000];
static int count[256];
int main(void) {
#pragma omp parallel
  {
    int own[256] = {0};
#pragma omp for
    for (int i = 0; i < 40000; i++)
      own[text[i]]++;
    for (int k = 0; k < 256; k++)
      count[k] += own[k];
  }
  printf("%d\n", count[4]);
}
