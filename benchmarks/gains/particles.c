// Loops over particles: pair forces, integration, distances.

// loop: pair_distance
// source: CoMD, src-mpi/ljForce.c, ljForce
// rule: RL316
// data: double *r = doubles(400000)
// data: double *f = doubles(400000)
// call: r + shift(n, 400000), f + shift(n, 400000), n
// size: L2 n=2000
void before(const double *restrict r, double *restrict f, int n) {
  for (int i = 0; i < n; i++)
    if (r[i] < 1.0) f[i] += 0.01 * r[i];
}
void after(const double *restrict r, double *restrict f, int n) {
  for (int i = 0; i < n; i++) f[i] = r[i] < 1.0 ? f[i] + 0.01 * r[i] : f[i];
}

// loop: centre_of_mass
// source: CoMD, src-mpi/initAtoms.c, computeVcm
// rule: RL106
// data: struct atom *a = (struct atom *)doubles(10 * n)
// call: n, a
// size: L2 n=8000
// size: memory n=1000000
struct atom {
  double r[3], p[3], f[3];
  double mass;
};
double before(int n, const struct atom *a) {
  double total = 0;
  for (int i = 0; i < n; i++) total += a[i].mass;
  return total;
}
// data: double *mass = doubles(n)
extern double *mass;
double after(int n, const struct atom *a) {
  double total = 0;
  for (int i = 0; i < n; i++) total += mass[i];
  return total;
}

// loop: kick_and_drift
// source: miniMD, mpi-spec/integrate.cpp, initialIntegrate
// rule: RL301
// data: double *x = doubles(n)
// data: double *v = doubles(n)
// data: double *f = doubles(n)
// call: n, 1e-6, x, v, f
// size: L1 n=1000
// size: memory n=5000000
void before(int n, double dt, double *x, double *v, const double *f) {
  for (int i = 0; i < n; i++) {
    v[i] += dt * f[i];
    x[i] += dt * v[i];
  }
}
void after(int n, double dt, double *restrict x, double *restrict v, const double *restrict f) {
  for (int i = 0; i < n; i++) {
    v[i] += dt * f[i];
    x[i] += dt * v[i];
  }
}

// loop: temperature_sum
// source: miniMD, mpi-spec/thermo.cpp, temperature
// rule: RL201 omp simd
// data: double *v = doubles(3 * n)
// call: n, v, 1.1
// size: L1 n=1000
// size: L2 n=25000
double before(int n, const double *v, double mass) {
  double t = 0;
  for (int i = 0; i < n; i++) {
    double vx = v[3 * i], vy = v[3 * i + 1], vz = v[3 * i + 2];
    t += (vx * vx + vy * vy + vz * vz) * mass;
  }
  return t;
}
double after(int n, const double *v, double mass) {
  double t = 0;
#pragma omp simd reduction(+ : t)
  for (int i = 0; i < n; i++) {
    double vx = v[3 * i], vy = v[3 * i + 1], vz = v[3 * i + 2];
    t += (vx * vx + vy * vy + vz * vz) * mass;
  }
  return t;
}

// loop: neighbour_force
// source: miniMD, mpi-spec/force_lj.cpp, compute_fullneigh
// rule: RL114
// data: int *near_by = ints(40 * n, 0, m)
// data: double *x = doubles(4 * m)
// data: double *f = doubles(n)
// call: n, near_by, x, f
// size: L2 n=300 m=8000
// size: memory n=10000 m=5000000
void before(int n, const int *near_by, const double *x, double *restrict f) {
  for (int i = 0; i < n; i++) {
    double force = 0;
    for (int k = 0; k < 40; k++) {
      int j = near_by[40 * i + k];
      double dx = x[4 * i] - x[4 * j], dy = x[4 * i + 1] - x[4 * j + 1];
      double sq = dx * dx + dy * dy;
      if (sq < 0.3) force += sq * (1 - sq);
    }
    f[i] = force;
  }
}
void after(int n, const int *near_by, const double *x, double *restrict f) {
  for (int i = 0; i < n; i++) {
    double force = 0;
    for (int k = 0; k < 40; k++) {
      int j = near_by[40 * i + k];
      if (40 * i + k + 16 < 40 * n) __builtin_prefetch(&x[4 * near_by[40 * i + k + 16]]);
      double dx = x[4 * i] - x[4 * j], dy = x[4 * i + 1] - x[4 * j + 1];
      double sq = dx * dx + dy * dy;
      if (sq < 0.3) force += sq * (1 - sq);
    }
    f[i] = force;
  }
}

// loop: gravity_all
// source: rebound, src/gravity.c, reb_gravity_basic_calculate_acceleration
// rule: RL311
// data: double *x = sdoubles(n)
// data: double *y = sdoubles(n)
// data: double *a = doubles(n)
// call: n, x, y, a
// size: L1 n=300
// after: -fno-math-errno
#include <math.h>
void before(int n, const double *restrict x, const double *restrict y, double *restrict a) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[j] += x[j] / sqrt(y[j] - x[i] + 4.0);
}
void after(int n, const double *restrict x, const double *restrict y, double *restrict a) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[j] += x[j] / sqrt(y[j] - x[i] + 4.0);
}

// loop: lost_particles
// source: rebound, src/tools.c, reb_simulation_energy
// rule: RL217
// data: double *d = doubles(400000)
// data: int *kept = ints(400000, 0, 9)
// call: n, d + shift(n, 400000), kept
// size: L2 n=3000
int before(int n, const double *d, int *restrict kept) {
  int m = 0;
  for (int i = 0; i < n; i++)
    if (d[i] < 1.0) kept[m++] = i;
  return m;
}
int after(int n, const double *d, int *restrict kept) {
  int m = 0;
  for (int i = 0; i < n; i++) {
    kept[m] = i;
    m += d[i] < 1.0;
  }
  return m;
}

// loop: pose_energy
// source: miniBUDE, makedeck/ref-kernel.cpp, fasten_main
// rule: RL205
// data: float *d = floats(n)
// data: float *e = floats(n)
// call: n, d, e
// size: L1 n=3000
void before(int n, const float *restrict d, float *restrict e) {
  for (int i = 0; i < n; i++) e[i] = (d[i] < 1.2 ? 1.0 - d[i] * 0.8 : 0.0) * 0.5;
}
void after(int n, const float *restrict d, float *restrict e) {
  for (int i = 0; i < n; i++) e[i] = (d[i] < 1.2f ? 1.0f - d[i] * 0.8f : 0.0f) * 0.5f;
}

// loop: squared_distances
// source: bhtsne, tsne.cpp, computeSquaredEuclideanDistance
// rule: RL210
// data: double *x = doubles(n * m)
// data: double *d = doubles(n * n)
// call: n, m, x, d
// size: L2 n=60 m=50
// size: L2 n=100 m=300
void before(int n, int m, const double *x, double *d) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      d[i * n + j] = 0;
      for (int k = 0; k < m; k++)
        d[i * n + j] += (x[i * m + k] - x[j * m + k]) * (x[i * m + k] - x[j * m + k]);
    }
}
void after(int n, int m, const double *x, double *d) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int k = 0; k < m; k++)
        sum += (x[i * m + k] - x[j * m + k]) * (x[i * m + k] - x[j * m + k]);
      d[i * n + j] = sum;
    }
}

// loop: mean_of_columns
// source: llm.c, train_gpt2.c, matmul_backward
// rule: RL101
// data: double *x = doubles(n * m)
// data: double *mean = doubles(m)
// call: n, m, x, mean
// size: L2 n=300 m=50
// size: memory n=50000 m=100
void before(int n, int m, const double *restrict x, double *restrict mean) {
  for (int d = 0; d < m; d++)
    for (int i = 0; i < n; i++) mean[d] += x[i * m + d];
}
void after(int n, int m, const double *restrict x, double *restrict mean) {
  for (int i = 0; i < n; i++)
    for (int d = 0; d < m; d++) mean[d] += x[i * m + d];
}
