#include <cstdio>
#include <cstdlib>
#define TIMES(i, n) for (int i = 0; i < (n); ++i)
#define CLEAR(p, n) for (int i = 0; i < (n); ++i) (p)[i] = 0
#define BUMP(x) ((x) += 1)

template <class T> T total(const T *a, int n) {
  T s = 0;
  for (int i = 0; i < n; ++i)
    s += a[i];
  return s;
}

static inline int few(const int *a, int n) { int s = 0; for (int i = 0; i < n; ++i) s += a[i]; return s; }

int position(const int *a, int n, int v) {
  for (int i = 0; i < n; ++i)
    if (a[i] == v)
      return i;
  return -1;
}

int main(int argc, char **argv) {
  int n = 400, marks = 0;
  double d[400];
  float f[400];
  int k[400];
  TIMES(i, n) { d[i] = i; f[i] = i; k[i] = i; }
  double s = 0;
  for (int r = 0; r < 20; ++r) {
    s += total(d, 400);
    s += total(f, 30);
    s += few(k, 6);
    s += position(k, n, r * 10);
  }
  for (int i = 0; i < 5; ++i) for (int j = 0; j < 9; ++j) s += i * j;
  int i = 0; while (i < 11 && s > 0) ++i;
  do { --i; } while (i > 0);
  if (argc > 5) { for (int q = 0; q < 5; ++q) puts("x"); abort(); }
  auto inner = [&](int m) {
    int c = 0;
    for (int q = 0; q < m; ++q)
      c += k[q];
    return c;
  };
  s += inner(3) + inner(4);
  CLEAR(k, 7);
  for (int q = 0; q < 8; ++q) BUMP(marks);
  for (int value : k)
    if (value > 100)
      ++marks;
  while (marks > 1000 || i < 6)
    ++i;
  printf("%g %d\n", s, marks);
  return 0;
}
