// standard containers, ranges and algorithms
#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

void indexed(std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += 2.0 * b[i];
}

double fixed(const std::array<double, 64>& a) {
  double s = 0.0;
  for (int i = 0; i < 64; i++) s += a[i] * a.at(i);
  return s;
}

double ranged(const std::vector<double>& v) {
  double s = 0.0;
  for (const auto& x : v) s += x;
  for (double y : v) s += y * y;
  return s;
}

void ranged_array() {
  double t[100];
  for (double& x : t) x = 1.0;
}

void nested(std::vector<std::vector<double>>& m, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) m[i][j] = 0.0;
}

void iterators(std::vector<float>& v) {
  for (auto it = v.begin(); it != v.end(); ++it) *it *= 2.0f;
}

void algorithms(std::vector<double>& v, std::vector<double>& w, double s) {
  std::for_each(v.begin(), v.end(), [&](double& x) { x *= s; });
  std::transform(v.begin(), v.end(), w.begin(), [=](double x) { return x + s; });
  s = std::accumulate(v.begin(), v.end(), 0.0);
}
