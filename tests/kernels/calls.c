/* functions called in loops: mathematical, inlined, opaque */
#include <math.h>

static double square(double x) { return x * x; }

static void axpy_at(double *y, const double *x, double a, int i) {
  double t = a * x[i];
  y[i] += t;
}

double unknown(double);

void mathematical(double *a, const double *b, float *c, int n) {
  for (int i = 0; i < n; i++) {
    a[i] = sqrt(b[i]) + exp(b[i]) + fma(b[i], b[i], 1.0) + fmax(b[i], 0.0) + fabs(b[i]);
    c[i] = sqrtf(c[i]);
  }
}

void inlined(double *a, const double *b, int n) {
  for (int i = 0; i < n; i++) a[i] = square(b[i]) + square(b[i + 1]);
}

void inlined_body(double *y, const double *x, int n) {
  for (int i = 0; i < n; i++) axpy_at(y, x, 3.0, i);
}

void opaque(double *a, const double *b, int n) {
  for (int i = 0; i < n; i++) a[i] = unknown(b[i]);
}
