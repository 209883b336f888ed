#include <stdio.h>
struct span {
  int low, high;
};
int main(void) {
  struct span all = {1000000, -1};
#pragma omp parallel for
  for (int i = 0; i < 20000; i++) {
    int x = i * 17 % 6007;
    if (x < all.low)
      all.low = x;
    if (x > all.high)
      all.high = x;
  }
  printf("%d %d\n", all.low, all.high);
}
