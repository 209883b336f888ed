// Loops over grids: stencils, sweeps, transposes.

// loop: seven_points
// source: miniAMR, ref/stencil.c, stencil_7
// rule: RL202
// data: double *a = doubles(n * n * n)
// data: double *w = doubles(n * n * n)
// call: n, a, w
// size: L1 n=12
// size: L2 n=34
// size: memory n=180
void before(int n, const double *restrict a, double *restrict w) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      for (int k = 1; k < n - 1; k++) {
        const double *p = a + (i * n + j) * n + k;
        w[(i * n + j) * n + k] =
            (p[0] + p[-1] + p[1] + p[-n] + p[n] + p[-n * n] + p[n * n]) / 7.0;
      }
}
void after(int n, const double *restrict a, double *restrict w) {
  const double inverse = 1 / 7.0;
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      for (int k = 1; k < n - 1; k++) {
        const double *p = a + (i * n + j) * n + k;
        w[(i * n + j) * n + k] =
            (p[0] + p[-1] + p[1] + p[-n] + p[n] + p[-n * n] + p[n * n]) * inverse;
      }
}

// loop: conduction_matvec
// source: TeaLeaf, src/serial/cg.cpp, cg_calc_w
// rule: RL210
// data: double *p = doubles(n * n)
// data: double *kx = doubles(n * n)
// data: double *ky = doubles(n * n)
// data: double *w = doubles(n * n)
// data: double *pw = doubles(8)
// call: n, n, pw, p, w, kx, ky
// size: L1 n=30
// size: L2 n=150
// size: memory n=2000
void before(int x, int y, double *pw, const double *p, double *w, const double *kx,
            const double *ky) {
  *pw = 0;
  for (int j = 1; j < y - 1; j++)
    for (int k = 1; k < x - 1; k++) {
      int at = k + j * x;
      double s = (1 + kx[at + 1] + kx[at] + ky[at + x] + ky[at]) * p[at] -
                 (kx[at + 1] * p[at + 1] + kx[at] * p[at - 1]) -
                 (ky[at + x] * p[at + x] + ky[at] * p[at - x]);
      w[at] = s;
      *pw += s * p[at];
    }
}
void after(int x, int y, double *pw, const double *p, double *w, const double *kx,
           const double *ky) {
  double sum = 0;
  for (int j = 1; j < y - 1; j++)
#pragma omp simd reduction(+ : sum)
    for (int k = 1; k < x - 1; k++) {
      int at = k + j * x;
      double s = (1 + kx[at + 1] + kx[at] + ky[at + x] + ky[at]) * p[at] -
                 (kx[at + 1] * p[at + 1] + kx[at] * p[at - 1]) -
                 (ky[at + x] * p[at + x] + ky[at] * p[at - x]);
      w[at] = s;
      sum += s * p[at];
    }
  *pw = sum;
}

// loop: double_constants
// source: gpu-rodinia, openmp/hotspot/hotspot_openmp.cpp, single_iteration
// rule: RL205
// data: float *t = floats(n)
// data: float *r = floats(n)
// call: n, t, r
// size: L1 n=3000
// size: memory n=10000000
void before(int n, const float *restrict t, float *restrict r) {
  for (int i = 1; i < n - 1; i++) r[i] = t[i] + 0.3 * (t[i - 1] + t[i + 1] - 1.7 * t[i]);
}
void after(int n, const float *restrict t, float *restrict r) {
  for (int i = 1; i < n - 1; i++) r[i] = t[i] + 0.3f * (t[i - 1] + t[i + 1] - 1.7f * t[i]);
}

// loop: cheapest_path
// source: gpu-rodinia, openmp/pathfinder/pathfinder.cpp, run
// rule: RL301
// data: int *s = ints(n, 0, 1000)
// data: int *w = ints(n, 0, 10)
// data: int *d = ints(n, 0, 1000)
// call: n, s, w, d
// size: L1 n=2500
// size: L2 n=50000
void before(int n, const int *s, const int *w, int *d) {
  for (int i = 1; i < n - 1; i++) {
    int least = s[i];
    least = least < s[i - 1] ? least : s[i - 1];
    least = least < s[i + 1] ? least : s[i + 1];
    d[i] = w[i] + least;
  }
}
void after(int n, const int *restrict s, const int *restrict w, int *restrict d) {
  for (int i = 1; i < n - 1; i++) {
    int least = s[i];
    least = least < s[i - 1] ? least : s[i - 1];
    least = least < s[i + 1] ? least : s[i + 1];
    d[i] = w[i] + least;
  }
}

// loop: diffusion_divisions
// source: gpu-rodinia, opencl/srad/kernel/srad_kernel.c, srad
// rule: RL203
// data: float *j = floats(n)
// data: float *g = floats(n)
// data: float *c = floats(n)
// call: n, j, g, c
// size: L1 n=2500
// size: memory n=8000000
void before(int n, const float *restrict j, const float *restrict g, float *restrict c) {
  for (int i = 0; i < n; i++) c[i] = g[i] / j[i] / j[i];
}
void after(int n, const float *restrict j, const float *restrict g, float *restrict c) {
  for (int i = 0; i < n; i++) c[i] = g[i] / (j[i] * j[i]);
}

// loop: multigrid_norm
// source: NPB-CPP, NPB-SER/MG/mg.cpp, norm2u3
// rule: RL201 omp simd
// data: double *r = sdoubles(n * n * n)
// call: n, r
// size: L1 n=14
// size: L2 n=40
#include <math.h>
double before(int n, const double *r) {
  double s = 0;
  for (int i3 = 1; i3 < n - 1; i3++)
    for (int i2 = 1; i2 < n - 1; i2++)
      for (int i1 = 1; i1 < n - 1; i1++) {
        double v = r[(i3 * n + i2) * n + i1];
        s += v * v;
      }
  return s;
}
double after(int n, const double *r) {
  double s = 0;
  for (int i3 = 1; i3 < n - 1; i3++)
    for (int i2 = 1; i2 < n - 1; i2++)
#pragma omp simd reduction(+ : s)
      for (int i1 = 1; i1 < n - 1; i1++) {
        double v = r[(i3 * n + i2) * n + i1];
        s += v * v;
      }
  return s;
}

// loop: lower_sweep
// source: NPB-CPP, NPB-SER/LU/lu.cpp, blts
// rule: RL214
// data: double *v = doubles(n)
// data: double *a = doubles(n)
// data: double *b = doubles(n)
// data: double *c = doubles(n)
// call: n, v, a, b, c
// size: L1 n=900
// size: L2 n=25000
void before(int n, double *restrict v, const double *restrict a, const double *restrict b,
            const double *restrict c) {
  for (int i = 1; i < n; i++) v[i] = 0.2 * (v[i - 1] + a[i] + b[i] + c[i]);
}
void after(int n, double *restrict v, const double *restrict a, const double *restrict b,
           const double *restrict c) {
  for (int i = 1; i < n; i++) v[i] = 0.2 * (v[i - 1] + (a[i] + b[i] + c[i]));
}

// loop: line_solve_over_planes
// source: NPB-CPP, NPB-SER/BT/bt.cpp, y_solve
// rule: RL101
// data: double *u = doubles(n * 64)
// data: double *f = doubles(n * 64)
// call: n, u, f
// size: L2 n=200
// size: memory n=60000
void before(int n, double *restrict u, const double *restrict f) {
  for (int k = 0; k < 64; k++)
    for (int i = 1; i < n; i++) u[i * 64 + k] = 0.5 * u[(i - 1) * 64 + k] + f[i * 64 + k];
}
void after(int n, double *restrict u, const double *restrict f) {
  for (int i = 1; i < n; i++)
    for (int k = 0; k < 64; k++) u[i * 64 + k] = 0.5 * u[(i - 1) * 64 + k] + f[i * 64 + k];
}

// loop: transposed_store
// source: Kernels, SERIAL/Transpose/transpose.c, main
// rule: RL103
// data: double *a = doubles(n * n)
// data: double *b = doubles(n * n)
// call: n, a, b
// size: L1 n=40
// size: memory n=2500
void before(int n, const double *restrict a, double *restrict b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) b[(long)i * n + j] += a[(long)j * n + i];
}
void after(int n, const double *restrict a, double *restrict b) {
  for (int ii = 0; ii < n; ii += 16)
    for (int jj = 0; jj < n; jj += 16)
      for (int i = ii; i < (ii + 16 < n ? ii + 16 : n); i++)
        for (int j = jj; j < (jj + 16 < n ? jj + 16 : n); j++) b[(long)i * n + j] += a[(long)j * n + i];
}
