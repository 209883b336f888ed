#include <stdio.h>
struct span {
  int low, high;
};
static struct span joined(struct span a, struct span b) {
  if (b.low < a.low)
    a.low = b.low;
  if (b.high > a.high)
    a.high = b.high;
  return a;
}
#pragma omp declare reduction(join : struct span : omp_out = joined(omp_out, omp_in)) \
    initializer(omp_priv = {1000000, -1})
int main(void) {
  struct span all = {1000000, -1};
#pragma omp parallel for reduction(join : all)
  for (int i = 0; i < 20000; i++) {
    int x = i * 17 % 6007;
    if (x < all.low)
      all.low = x;
    if (x > all.high)
      all.high = x;
  }
  printf("%d %d\n", all.low, all.high);
}
