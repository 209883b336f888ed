// rule: RL301
// call: A, B, C, D, E, F, G, H, n
// size: cache n=400
void before(double *a, double *b, double *c, double *d, const double *w, const double *x,
            const double *y, const double *z, int n) {
  for (int i = 0; i < n; i++) {
    a[i] = w[i] + x[i];
    b[i] = y[i] + z[i];
    c[i] = w[i] * y[i];
    d[i] = x[i] * z[i];
  }
}

void after(double *restrict a, double *restrict b, double *restrict c, double *restrict d,
           const double *w, const double *x, const double *y, const double *z, int n) {
  for (int i = 0; i < n; i++) {
    a[i] = w[i] + x[i];
    b[i] = y[i] + z[i];
    c[i] = w[i] * y[i];
    d[i] = x[i] * z[i];
  }
}
