// templates with the types of their call sites, and one that nobody calls
template <typename T>
void scale(T* a, int n, T s) {
  for (int i = 0; i < n; i++) a[i] *= s;
}

template <typename T>
T never_called(const T* a, int n) {
  T s = 0;
  for (int i = 0; i < n; i++) s += a[i];
  return s;
}

template <typename T, int B>
struct Block {
  T data[B];
  void clear() {
    for (int i = 0; i < B; i++) data[i] = 0;
  }
};

void use(float* f, double* d, int n) {
  scale(f, n, 2.0f);
  scale<double>(d, n, 2.0);
  Block<float, 16> block;
  block.clear();
}
