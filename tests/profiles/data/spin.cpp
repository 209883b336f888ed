#include <cmath>
#include <cstdio>
static inline double weight(double x) { return std::sqrt(x) + 1; }
double work(int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += weight(i) / (i + 1.5);
  return s;
}
int main() { double s = 0; for (int r = 0; r < 30; ++r) s += work(1000000); std::printf("%g\n", s); }
