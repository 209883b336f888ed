/* bounds, steps and directions */
void decreasing(double *a, int n) {
  for (int i = n - 1; i >= 0; i--) a[i] = a[i + 1];
}

void strided(double *a, int n) {
  for (int i = 1; i <= n; i += 2) a[i] = 0.0;
}

void symbolic_step(double *a, int n, int h) {
  for (int i = 0; i < n; i += h) a[i] = 0.0;
}

void triangular(double *a, int n) {
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) a[i * n + j] = 0.0;
}

void halves(double *a, int n) {
  for (int i = 0; i < n / 2; i++) a[i] = a[2 * i];
}

void missing_parts(double *a, int n) {
  int i = 0;
  for (; i < n;) {
    a[i] = 0.0;
    i++;
  }
  for (i = 0;; i++) {
    if (a[i] > 1.0) break;
  }
}

void tiled(double *a, int n) {
  for (int ii = 0; ii < n; ii += 64)
    for (int i = ii; i < (ii + 64 < n ? ii + 64 : n); i++) a[i] = 0.0;
}

void csr(int n, const int *row, const int *col, const double *val, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    double s = 0.0;
    for (int j = row[i]; j < row[i + 1]; j++) s += val[j] * x[col[j]];
    y[i] = s;
  }
}
