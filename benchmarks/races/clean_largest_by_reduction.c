#include <stdio.h>
static int height[30000];
int main(void) {
  int top = -1;
  for (int i = 0; i < 30000; i++)
    height[i] = i * 31 % 977;
#pragma omp parallel for reduction(max : top)
  for (int i = 0; i < 30000; i++)
    if (height[i] > top)
      top = height[i];
  printf("%d\n", top);
}
