// members, methods, operators of user classes
struct Matrix {
  double* d;
  int ld;
  double& operator()(int i, int j) { return d[i * ld + j]; }
  double operator()(int i, int j) const { return d[i * ld + j]; }
  int rows() const { return ld; }
};

void product(Matrix& c, const Matrix& a, const Matrix& b, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) c(i, j) += a(i, k) * b(k, j);
}

namespace grid {
class Field {
 public:
  void smooth() {
    for (int i = 1; i < n - 1; i++) next[i] = 0.5 * (u[i - 1] + u[i + 1]);
  }
  double total() const;

 private:
  int n;
  double* u;
  double* next;
};

double Field::total() const {
  double s = 0;
  for (int i = 0; i < this->n; ++i) s += this->u[i];
  return s;
}
}  // namespace grid
