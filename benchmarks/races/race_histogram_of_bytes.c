#include <stdio.h>
static unsigned char text[40000];
static int count[256];
int main(void) {
  for (int i = 0; i < 40000; i++)
    text[i] = i * i % 251;
#pragma omp parallel for
  for (int i = 0; i < 40000; i++)
    count[text[i]]++;
  printf("%d\n", count[4]);
}
