#include <stdio.h>
struct work {
  double x, y;
};
static double out[20000];
static void load(struct work *w, int i) {
  w->x = i;
  w->y = 2 * i;
}
int main(void) {
  struct work w = {0, 0};
#pragma omp parallel for
  for (int i = 0; i < 20000; i++) {
    load(&w, i);
    out[i] = w.x + w.y;
  }
  printf("%g\n", out[7]);
}
