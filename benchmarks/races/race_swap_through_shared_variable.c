#include <stdio.h>
static int left[20000], right[20000];
int main(void) {
  int kept = 0;
#pragma omp parallel for
  for (int i = 0; i < 20000; i++) {
    kept = left[i];
    left[i] = right[i];
    right[i] = kept;
  }
  printf("%d\n", left[1] + kept);
}
