// C++20
#include <span>

void scaled(std::span<double> a, double s) {
  for (auto& x : a) x *= s;
  for (std::size_t i = 0; i < a.size(); i++) a[i] += s;
}
