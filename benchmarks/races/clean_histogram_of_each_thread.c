#include <stdio.h>
static unsigned char text[40000];
static int count[256];
int main(void) {
  for (int i = 0; i < 40000; i++)
    text[i] = i * i % 251;
#pragma omp parallel
  {
    int own[256] = {0};
#pragma omp for
    for (int i = 0; i < 40000; i++)
      own[text[i]]++;
#pragma omp critical
    for (int k = 0; k < 256; k++)
      count[k] += own[k];
  }
  printf("%d\n", count[4]);
}
