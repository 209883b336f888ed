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
#pragma omp parallel for
  for (int i = 0; i < 20000; i++) {
    struct work w;
    load(&w, i);
    out[i] = w.x + w.y;
  }
  printf("%g\n", out[7]);
}
