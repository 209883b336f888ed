#include <stdio.h>
struct point {
  int x, y, z;
};
static struct point p[9000];
int main(void) {
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < 9000; i++) {
    p[i].x = p[i].y + 1;
    p[i].z = p[i].x;
  }
  printf("%d\n", p[4].z);
}
