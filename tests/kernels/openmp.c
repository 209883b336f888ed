/* pragmas are read and never hide a loop */
double sum_of(const double *x, int n) {
  double s = 0.0;
#pragma omp parallel for reduction(+ : s) schedule(static, 16)
  for (int i = 0; i < n; i++) s += x[i];
  return s;
}

void nested(double *a, int n) {
#pragma omp parallel
  {
#pragma omp for collapse(2) nowait
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) a[i * n + j] = 0.0;
#pragma omp barrier
#pragma omp single
    a[0] = 1.0;
  }
}

void hinted(double *a, const double *b, int n) {
#pragma GCC ivdep
#pragma omp simd aligned(a : 64)
  for (int i = 0; i < n; i++) a[i] = b[i];
#pragma unroll 4
  for (int i = 0; i < n; i++) a[i] = b[i];
  _Pragma("omp parallel for") for (int i = 0; i < n; i++) a[i] = b[i];
}

void offloaded(double *a, int n) {
#pragma omp target teams distribute parallel for \
    map(tofrom : a[0 : n])
  for (int i = 0; i < n; i++) a[i] += 1.0;
}
