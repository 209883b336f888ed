// Loops of dense linear algebra: products, factors, column walks, norms.

// loop: column_update
// source: gpu-rodinia, openmp/backprop/backprop.c, bpnn_layerforward
// rule: RL101
// data: double *a = doubles(n * n)
// data: double *x = doubles(n)
// data: double *y = doubles(n)
// call: n, a, x, y
// size: L2 n=200
// size: memory n=2500
void before(int n, const double *restrict a, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) y[i] += a[(long)j * n + i] * x[j];
}
void after(int n, const double *restrict a, const double *restrict x, double *restrict y) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) y[i] += a[(long)j * n + i] * x[j];
}

// loop: householder_norm
// source: cminpack, src/qrfac.c, qrfac
// rule: RL201 omp simd
// data: double *a = doubles(n * 40)
// call: n, a
// size: L1 n=90
double before(int n, const double *a) {
  double worst = 0;
  for (int j = 0; j < 40; j++) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[j * n + i] * a[j * n + i];
    if (sum > worst) worst = sum;
  }
  return worst;
}
double after(int n, const double *a) {
  double worst = 0;
  for (int j = 0; j < 40; j++) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; i++) sum += a[j * n + i] * a[j * n + i];
    if (sum > worst) worst = sum;
  }
  return worst;
}

// loop: rows_of_q
// source: gpu-rodinia, openmp/backprop/backprop.c, bpnn_adjust_weights
// rule: RL101
// data: double *q = doubles(n * n)
// data: double *w = doubles(n)
// call: n, q, w
// size: L2 n=250
void before(int n, double *restrict q, const double *restrict w) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) q[j * n + i] = 0.5 * q[j * n + i] + w[i];
}
void after(int n, double *restrict q, const double *restrict w) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) q[j * n + i] = 0.5 * q[j * n + i] + w[i];
}

// loop: vector_dot
// source: liblbfgs, lib/arithmetic_ansi.h, vecdot
// rule: RL210
// data: double *x = doubles(n)
// data: double *y = doubles(n)
// data: double *s = doubles(8)
// call: s, x, y, n
// size: L1 n=1500
// size: memory n=6000000
void before(double *s, const double *x, const double *y, const int n) {
  *s = 0;
  for (int i = 0; i < n; ++i) *s += x[i] * y[i];
}
void after(double *s, const double *x, const double *y, const int n) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += x[i] * y[i];
  *s = sum;
}

// loop: one_norm
// source: liblbfgs, lib/lbfgs.c, owlqn_x1norm
// rule: RL201 omp simd
// data: double *x = sdoubles(n)
// call: x, 3, n
// size: L1 n=3000
// size: L3 n=700000
#include <math.h>
double before(const double *x, const int start, const int n) {
  double norm = 0;
  for (int i = start; i < n; ++i) norm += fabs(x[i]);
  return norm;
}
double after(const double *x, const int start, const int n) {
  double norm = 0;
#pragma omp simd reduction(+ : norm)
  for (int i = start; i < n; ++i) norm += fabs(x[i]);
  return norm;
}

// loop: projected_sign
// source: liblbfgs, lib/lbfgs.c, owlqn_project
// rule: RL316
// data: double *d = sdoubles(400000)
// data: double *s = sdoubles(400000)
// call: d + shift(n, 400000), s + shift(n, 400000), n
// size: L2 n=2000
void before(double *restrict d, const double *restrict s, int n) {
  for (int i = 0; i < n; i++)
    if (s[i] <= 0) d[i] = 0.25;
}
void after(double *restrict d, const double *restrict s, int n) {
  for (int i = 0; i < n; i++) d[i] = s[i] <= 0 ? 0.25 : d[i];
}

// loop: weighted_rms
// source: sundials, src/nvector/serial/nvector_serial.c, N_VWrmsNorm_Serial
// rule: RL201 omp simd
// data: double *x = doubles(n)
// data: double *w = doubles(n)
// call: x, w, n
// size: L1 n=1500
double before(const double *x, const double *w, long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) {
    double p = x[i] * w[i];
    sum += p * p;
  }
  return sum / n;
}
double after(const double *x, const double *w, long n) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (long i = 0; i < n; i++) {
    double p = x[i] * w[i];
    sum += p * p;
  }
  return sum / n;
}

// loop: smallest_quotient
// source: sundials, src/nvector/serial/nvector_serial.c, N_VMinQuotient_Serial
// rule: RL201 omp simd
// data: double *x = doubles(n)
// data: double *w = doubles(n)
// call: x, w, n
// size: L1 n=1500
double before(const double *x, const double *w, long n) {
  double least = 1e300;
  for (long i = 0; i < n; i++) {
    double q = x[i] / w[i];
    if (q < least) least = q;
  }
  return least;
}
double after(const double *x, const double *w, long n) {
  double least = 1e300;
#pragma omp simd reduction(min : least)
  for (long i = 0; i < n; i++) {
    double q = x[i] / w[i];
    least = q < least ? q : least;
  }
  return least;
}

// loop: inverse_of_all
// source: sundials, src/nvector/serial/nvector_serial.c, N_VInv_Serial
// rule: RL301
// data: double *x = doubles(n)
// data: double *z = doubles(n)
// call: x, z, n
// size: L1 n=1200
void before(const double *x, double *z, long n) {
  for (long i = 0; i < n; i++) z[i] = 1 / x[i];
}
void after(const double *restrict x, double *restrict z, long n) {
  for (long i = 0; i < n; i++) z[i] = 1 / x[i];
}

// loop: triangular_columns
// source: tinn, Tinn.c, bprop
// rule: RL101
// data: double *a = doubles(n * n)
// data: double *v = doubles(n)
// call: n, a, v
// size: L2 n=220
// size: memory n=2400
void before(int n, double *restrict a, const double *restrict v) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[j * n + i] -= 1e-9 * v[i] * v[j];
}
void after(int n, double *restrict a, const double *restrict v) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) a[j * n + i] -= 1e-9 * v[i] * v[j];
}

// loop: dot_of_vectors
// source: nlopt, src/algs/luksan/mssubs.c, luksan_mxudot__
// rule: RL201 omp simd
// data: double *x = doubles(n)
// data: double *y = doubles(n)
// data: int *ix = ints(n, 0, 2)
// call: n, x, y, ix
// size: L1 n=1200
double before(int n, const double *x, const double *y, const int *ix) {
  double temp = 0;
  for (int i = 0; i < n; i++) temp += ix[i] * (x[i] * y[i]);
  return temp;
}
double after(int n, const double *x, const double *y, const int *ix) {
  double temp = 0;
#pragma omp simd reduction(+ : temp)
  for (int i = 0; i < n; i++) temp += ix[i] * (x[i] * y[i]);
  return temp;
}

// loop: product_by_rows
// source: gpu-rodinia, openmp/lud/base/lud_base.c, lud_base
// rule: RL101
// data: float *a = floats(n * n)
// data: float *b = floats(n * n)
// data: float *c = floats(n * n)
// call: n, a, b, c
// size: L2 n=150
// size: L3 n=600
void before(int n, const float *restrict a, const float *restrict b, float *restrict c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}
void after(int n, const float *restrict a, const float *restrict b, float *restrict c) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) c[i * n + j] = 0;
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}

// loop: product_transposed
// source: darknet, src/gemm.c, gemm_nt
// rule: RL201 omp simd
// data: float *a = floats(n * m)
// data: float *b = floats(n * m)
// data: float *c = floats(n * n)
// call: n, m, a, b, c
// size: L2 n=60 m=400
void before(int n, int m, const float *a, const float *b, float *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < m; k++) sum += a[i * m + k] * b[j * m + k];
      c[i * n + j] += 1e-6f * sum;
    }
}
void after(int n, int m, const float *a, const float *b, float *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int k = 0; k < m; k++) sum += a[i * m + k] * b[j * m + k];
      c[i * n + j] += 1e-6f * sum;
    }
}
