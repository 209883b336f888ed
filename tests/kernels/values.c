/* element types, conversions, scalars that carry from one iteration to the next */
#include <complex.h>
#include <stdint.h>

void mixed(double *d, const float *f, const int8_t *b, int n) {
  for (int i = 0; i < n; i++) d[i] = f[i] * 2 + b[i];
}

void complex_product(double complex *c, const double complex *a, int n) {
  for (int i = 0; i < n; i++) c[i] = a[i] * c[i];
}

void long_double(long double *x, int n) {
  for (int i = 0; i < n; i++) x[i] /= 3.0L;
}

double kahan(const double *x, int n) {
  double s = 0.0, c = 0.0;
  for (int i = 0; i < n; i++) {
    double y = x[i] - c;
    double t = s + y;
    c = (t - s) - y;
    s = t;
  }
  return s;
}

double recurrence(double *x, const double *a, int n) {
  double last = 0.0;
  for (int i = 0; i < n; i++) {
    last = a[i] * last + 1.0;
    x[i] = last;
  }
  return last;
}

int64_t integers(const int32_t *a, int n) {
  int64_t s = 0;
  for (int i = 0; i < n; i++) s += (a[i] >> 2) ^ i;
  return s;
}
