// Loops of sparse linear algebra: rows of a matrix, gathers, sweeps, sums.

// loop: spmv_rows
// source: hpcg, src/ComputeSPMV_ref.cpp, ComputeSPMV_ref
// rule: RL201 omp simd
// data: double *v = doubles(27 * n)
// data: double *x = doubles(n)
// data: double *y = doubles(n)
// data: int *at = near(n, 27, 300)
// data: int *row = steps(n + 1, 27)
// call: n, row, at, v, x, y
// size: L2 n=2000
// size: memory n=120000
void before(int n, const int *row, const int *at, const double *v, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = row[i]; k < row[i + 1]; k++) sum += v[k] * x[at[k]];
    y[i] = sum;
  }
}
void after(int n, const int *row, const int *at, const double *v, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int k = row[i]; k < row[i + 1]; k++) sum += v[k] * x[at[k]];
    y[i] = sum;
  }
}

// loop: inner_product
// source: hpcg, src/ComputeDotProduct_ref.cpp, ComputeDotProduct_ref
// rule: RL201 omp simd
// data: double *x = doubles(n)
// data: double *y = doubles(n)
// call: n, x, y
// size: L1 n=1600
// size: L2 n=30000
// size: memory n=6000000
double before(int n, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}
double after(int n, const double *x, const double *y) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

// loop: fine_to_coarse
// source: hpcg, src/ComputeRestriction_ref.cpp, ComputeRestriction_ref
// rule: RL114
// data: double *r = doubles(8 * n)
// data: double *a = doubles(8 * n)
// data: double *c = doubles(n)
// data: int *f = steps(n, 8)
// call: n, f, r, a, c
// size: L2 n=3000
void before(int n, const int *f, const double *r, const double *a, double *restrict c) {
  for (int i = 0; i < n; i++) c[i] = r[f[i]] - a[f[i]];
}
void after(int n, const int *f, const double *r, const double *a, double *restrict c) {
  int i = 0;
  for (; i + 16 < n; i++) {
    __builtin_prefetch(&r[f[i + 16]]);
    __builtin_prefetch(&a[f[i + 16]]);
    c[i] = r[f[i]] - a[f[i]];
  }
  for (; i < n; i++) c[i] = r[f[i]] - a[f[i]];
}

// loop: row_through_pointers
// source: HPCCG, HPC_sparsemv.cpp, HPC_sparsemv
// rule: RL201 omp simd
// data: double *v = doubles(27 * n)
// data: double *x = doubles(n)
// data: double *y = doubles(n)
// data: int *at = near(n, 27, 120)
// call: n, v, at, x, y
// size: L2 n=1500
void before(int n, const double *v, const int *at, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    const double *now = v + 27L * i;
    const int *index = at + 27L * i;
    double total = 0;
    for (int j = 0; j < 27; j++) total += now[j] * x[index[j]];
    y[i] = total;
  }
}
void after(int n, const double *v, const int *at, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    const double *now = v + 27L * i;
    const int *index = at + 27L * i;
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (int j = 0; j < 27; j++) total += now[j] * x[index[j]];
    y[i] = total;
  }
}

// loop: scaled_sum
// source: HPCCG, waxpby.cpp, waxpby
// rule: RL105
// data: double *x = doubles(n)
// data: double *y = doubles(n)
// data: double *w = doubles(n)
// call: n, 1.5, x, y, w
// size: L1 n=1200
// size: memory n=6000000
#include <immintrin.h>
void before(int n, double a, const double *restrict x, const double *restrict y,
            double *restrict w) {
  for (int i = 0; i < n; i++) w[i] = a * x[i] + y[i];
}
void after(int n, double a, const double *restrict x, const double *restrict y,
           double *restrict w) {
  int i = 0;
  for (; (unsigned long)(w + i) % 64 && i < n; i++) w[i] = a * x[i] + y[i];
  for (; i + 2 <= n; i += 2)
    _mm_stream_pd(w + i, _mm_add_pd(_mm_mul_pd(_mm_set1_pd(a), _mm_loadu_pd(x + i)),
                                    _mm_loadu_pd(y + i)));
  for (; i < n; i++) w[i] = a * x[i] + y[i];
  _mm_sfence();
}

// loop: gradient_rows
// source: NPB-CPP, NPB-SER/CG/cg.cpp, conj_grad
// rule: RL201 omp simd
// data: double *v = doubles(13 * n)
// data: double *x = doubles(n)
// data: double *y = doubles(n)
// data: int *at = ints(13 * n, 0, n)
// data: int *row = steps(n + 1, 13)
// call: n, row, at, v, x, y
// size: L2 n=1400
// size: memory n=400000
void before(int n, const int *row, const int *at, const double *v, const double *x, double *y) {
  for (int j = 0; j < n; j++) {
    double suml = 0;
    for (int k = row[j]; k < row[j + 1]; k++) suml += v[k] * x[at[k]];
    y[j] = suml;
  }
}
void after(int n, const int *row, const int *at, const double *v, const double *x, double *y) {
  for (int j = 0; j < n; j++) {
    double suml = 0;
#pragma omp simd reduction(+ : suml)
    for (int k = row[j]; k < row[j + 1]; k++) suml += v[k] * x[at[k]];
    y[j] = suml;
  }
}

// loop: update_and_norm
// source: NPB-CPP, NPB-SER/CG/cg.cpp, conj_grad
// rule: RL104
// data: double *r = doubles(n)
// data: double *z = doubles(n)
// data: double *p = doubles(n)
// data: double *q = doubles(n)
// call: n, 1e-9, r, z, p, q
// size: L1 n=900
// size: memory n=5000000
double before(int n, double alpha, double *restrict r, double *restrict z,
              const double *restrict p, const double *restrict q) {
  double rho = 0;
  for (int j = 0; j < n; j++) {
    z[j] = z[j] + alpha * p[j];
    r[j] = r[j] - alpha * q[j];
  }
  for (int j = 0; j < n; j++) rho = rho + r[j] * r[j];
  return rho;
}
double after(int n, double alpha, double *restrict r, double *restrict z,
             const double *restrict p, const double *restrict q) {
  double rho = 0;
  for (int j = 0; j < n; j++) {
    z[j] = z[j] + alpha * p[j];
    r[j] = r[j] - alpha * q[j];
    rho = rho + r[j] * r[j];
  }
  return rho;
}

// loop: sparse_squares
// source: liblinear, linear.cpp, sparse_operator::nrm2_sq
// rule: RL201 omp simd
// data: struct node *x = (struct node *)doubles(2 * n)
// call: n, x
// size: L1 n=1500
struct node {
  long index;
  double value;
};
double before(int n, const struct node *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i].value * x[i].value;
  return sum;
}
double after(int n, const struct node *x) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += x[i].value * x[i].value;
  return sum;
}

// loop: transposed_update
// source: liblinear, linear.cpp, XTv
// rule: RL114
// data: int *at = ints(8 * n, 0, m)
// data: double *v = doubles(8 * n)
// data: double *w = doubles(m)
// data: double *a = doubles(n)
// call: n, at, v, w, a
// size: L2 n=1500 m=20000
// size: memory n=200000 m=30000000
void before(int n, const int *at, const double *v, const double *w, double *restrict a) {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = 0; k < 8; k++) sum += v[8L * i + k] * w[at[8L * i + k]];
    a[i] = sum;
  }
}
void after(int n, const int *at, const double *v, const double *w, double *restrict a) {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = 0; k < 8; k++) {
      if (i + 4 < n) __builtin_prefetch(&w[at[8L * i + k + 32]]);
      sum += v[8L * i + k] * w[at[8L * i + k]];
    }
    a[i] = sum;
  }
}

