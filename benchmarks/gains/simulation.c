// Loops of simulations with records: hydrodynamics, transport, physics engines.

// loop: element_pressure
// source: LULESH, lulesh.cc, CalcPressureForElems
// rule: RL316
// data: double *p = doubles(400000)
// data: double *e = sdoubles(400000)
// call: n, p + shift(n, 400000), e + shift(n, 400000)
// size: L2 n=2500
#include <math.h>
void before(int n, double *restrict p, const double *restrict e) {
  for (int i = 0; i < n; i++)
    if (fabs(e[i]) < 0.4) p[i] = 0.0;
}
void after(int n, double *restrict p, const double *restrict e) {
  for (int i = 0; i < n; i++) p[i] = fabs(e[i]) < 0.4 ? 0.0 : p[i];
}

// loop: sound_speed
// source: LULESH, lulesh.cc, CalcSoundSpeedForElems
// rule: RL311
// data: double *e = doubles(n)
// data: double *p = doubles(n)
// data: double *s = doubles(n)
// call: n, e, p, s
// size: L1 n=1200
// size: memory n=5000000
// after: -fno-math-errno
#include <math.h>
void before(int n, const double *restrict e, const double *restrict p, double *restrict s) {
  for (int i = 0; i < n; i++) s[i] = sqrt(e[i] + 0.5 * p[i]);
}
void after(int n, const double *restrict e, const double *restrict p, double *restrict s) {
  for (int i = 0; i < n; i++) s[i] = sqrt(e[i] + 0.5 * p[i]);
}

// loop: smallest_step
// source: LULESH, lulesh.cc, CalcHydroConstraintForElems
// rule: RL201
// data: double *v = doubles(n)
// call: n, v
// size: L1 n=3000
// size: L3 n=800000
double before(int n, const double *v) {
  double least = 1e20;
  for (int i = 0; i < n; i++)
    if (v[i] < least) least = v[i];
  return least;
}
double after(int n, const double *v) {
  double least = 1e20;
  double least_1 = least;
  double least_2 = least;
  double least_3 = least;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    if (v[i] < least) least = v[i];
    if (v[i + 1] < least_1) least_1 = v[i + 1];
    if (v[i + 2] < least_2) least_2 = v[i + 2];
    if (v[i + 3] < least_3) least_3 = v[i + 3];
  }
  least = least_1 < least ? least_1 : least;
  least = least_2 < least ? least_2 : least;
  least = least_3 < least ? least_3 : least;
  for (; i < n; i++)
    if (v[i] < least) least = v[i];
  return least;
}

// loop: region_gather
// source: LULESH, lulesh.cc, EvalEOSForElems
// rule: RL104
// data: double *e = doubles(n)
// data: double *d = doubles(n)
// data: double *a = doubles(n)
// data: double *b = doubles(n)
// data: int *at = near(n, 1, 1)
// call: n, at, e, d, a, b
// size: L1 n=700
// size: memory n=4000000
void before(int n, const int *at, const double *restrict e, const double *restrict d,
            double *restrict a, double *restrict b) {
  for (int i = 0; i < n; i++) a[i] = e[at[i]] + d[at[i]];
  for (int i = 0; i < n; i++) b[i] = e[at[i]] * d[at[i]];
}
void after(int n, const int *at, const double *restrict e, const double *restrict d,
           double *restrict a, double *restrict b) {
  for (int i = 0; i < n; i++) {
    a[i] = e[at[i]] + d[at[i]];
    b[i] = e[at[i]] * d[at[i]];
  }
}

// loop: velocity_cutoff
// source: LULESH, lulesh.cc, CalcVelocityForNodes
// rule: RL302
// data: double *v = sdoubles(n)
// data: double *a = sdoubles(n)
// call: n, 1e-7, v, a
// size: L1 n=1500
#include <math.h>
void before(int n, double dt, double *restrict v, const double *restrict a) {
  int i = 0;
  while (i < n) {
    v[i] = v[i] + a[i] * dt;
    i++;
  }
}
void after(int n, double dt, double *restrict v, const double *restrict a) {
  for (int i = 0; i < n; i++) v[i] = v[i] + a[i] * dt;
}

// loop: zone_energy
// source: PENNANT, src/Hydro.cc, calcEnergy
// rule: RL203
// data: double *et = doubles(n)
// data: double *m = doubles(n)
// data: double *v = doubles(n)
// data: double *e = doubles(n)
// call: n, et, m, v, e
// size: L1 n=900
// size: memory n=4000000
void before(int n, const double *restrict et, const double *restrict m, const double *restrict v,
            double *restrict e) {
  for (int z = 0; z < n; z++) e[z] = et[z] / m[z] / v[z];
}
void after(int n, const double *restrict et, const double *restrict m, const double *restrict v,
           double *restrict e) {
  for (int z = 0; z < n; z++) e[z] = et[z] / (m[z] * v[z]);
}

// loop: side_fractions
// source: PENNANT, src/Mesh.cc, calcSideFracs
// rule: RL114
// data: int *zone = ints(n, 0, m)
// data: double *area = doubles(m)
// data: double *side = doubles(n)
// data: double *out = doubles(n)
// call: n, zone, area, side, out
// size: L2 n=8000 m=2000
// size: memory n=1000000 m=20000000
void before(int n, const int *zone, const double *area, const double *side, double *restrict out) {
  for (int s = 0; s < n; s++) out[s] = side[s] / area[zone[s]];
}
void after(int n, const int *zone, const double *area, const double *side, double *restrict out) {
  int s = 0;
  for (; s + 24 < n; s++) {
    __builtin_prefetch(&area[zone[s + 24]]);
    out[s] = side[s] / area[zone[s]];
  }
  for (; s < n; s++) out[s] = side[s] / area[zone[s]];
}

// loop: cross_section_search
// source: XSBench, openmp-threading/Simulation.c, grid_search
// rule: RL317
// data: double *grid = sorted(m)
// data: double *want = doubles(400000)
// data: int *at = ints(400000, 0, 9)
// call: n, m, want + shift(n, 400000), grid, at
// size: L1 n=500 m=2000
// size: L2 n=500 m=60000
void before(int n, int m, const double *want, const double *grid, int *at) {
  for (int k = 0; k < n; k++) {
    int low = 0, high = m - 1;
    while (high - low > 1) {
      int middle = low + (high - low) / 2;
      if (grid[middle] > want[k])
        high = middle;
      else
        low = middle;
    }
    at[k] = low;
  }
}
#ifdef __clang__
#define UNPREDICTABLE(condition) __builtin_unpredictable(condition)
#else
#define UNPREDICTABLE(condition) (condition)
#endif
void after(int n, int m, const double *want, const double *grid, int *at) {
  for (int k = 0; k < n; k++) {
    int start = 0, length = m - 1;
    while (length > 1) {
      int half = length / 2;
      start += UNPREDICTABLE(grid[start + half] <= want[k]) ? half : 0;
      length -= half;
    }
    at[k] = start;
  }
}

// loop: five_sections
// source: XSBench, openmp-threading/Simulation.c, calculate_micro_xs
// rule: RL106
// data: struct point *g = (struct point *)doubles(6 * n)
// data: double *e = doubles(n)
// call: n, g, e
// size: L2 n=10000
// size: memory n=2000000
struct point {
  double energy, total, elastic, absorbed, fission, fissions;
};
void before(int n, const struct point *g, double *restrict e) {
  for (int i = 0; i < n; i++) e[i] = g[i].energy * 1.5;
}
extern double *energy;
// data: double *energy = doubles(n)
void after(int n, const struct point *g, double *restrict e) {
  for (int i = 0; i < n; i++) e[i] = energy[i] * 1.5;
}

// loop: resonance_phase
// source: RSBench, openmp-threading/simulation.c, calculate_sig_T
// rule: RL204
// data: double *e = doubles(n)
// data: double *s = doubles(n)
// call: n, e, s
// size: L1 n=1500
#include <math.h>
void before(int n, const double *restrict e, double *restrict s) {
  for (int i = 0; i < n; i++) s[i] = pow(e[i], 3) + 0.5 * pow(e[i], 2);
}
void after(int n, const double *restrict e, double *restrict s) {
  for (int i = 0; i < n; i++) s[i] = e[i] * e[i] * e[i] + 0.5 * (e[i] * e[i]);
}

// loop: segment_fluxes
// source: SimpleMOC, src/solver.c, attenuate_fluxes
// rule: RL205
// data: float *q = floats(n)
// data: float *s = floats(n)
// data: float *f = floats(n)
// call: n, q, s, f
// size: L1 n=2000
// size: L2 n=40000
void before(int n, const float *restrict q, const float *restrict s, float *restrict f) {
  for (int g = 0; g < n; g++) f[g] = (q[g] * 0.25 + 1.5) / (s[g] + 2.0);
}
void after(int n, const float *restrict q, const float *restrict s, float *restrict f) {
  for (int g = 0; g < n; g++) f[g] = (q[g] * 0.25f + 1.5f) / (s[g] + 2.0f);
}

// loop: cell_densities
// source: neutral, omp3/neutral.c, microscopic_cs_for_energy
// rule: RL314
// data: double *key = sorted(n)
// call: n, key, 1.4
// size: L1 n=2500
int before(int n, const double *key, double want) {
  for (int i = 0; i < n; i++)
    if (key[i] >= want) return i;
  return n;
}
int after(int n, const double *key, double want) {
  int i = 0;
  for (; i + 64 <= n; i += 64) {
    long long found = 0;
    for (int k = 0; k < 64; k++) found |= key[i + k] >= want;
    if (found) break;
  }
  for (; i < n; i++)
    if (key[i] >= want) return i;
  return n;
}

// loop: polygon_area
// source: Chipmunk2D, src/cpPolyShape.c, cpAreaForPoly
// rule: RL303
// data: double *x = doubles(n)
// data: double *y = doubles(n)
// data: double *c = doubles(n)
// call: n, x, y, c
// size: L1 n=1000
void before(int n, const double *restrict x, const double *restrict y, double *restrict c) {
  for (int i = 0; i < n; i++) {
    if (i == 0)
      c[i] = x[i] * y[n - 1];
    else
      c[i] = x[i] * y[i - 1];
  }
}
void after(int n, const double *restrict x, const double *restrict y, double *restrict c) {
  c[0] = x[0] * y[n - 1];
  for (int i = 1; i < n; i++) c[i] = x[i] * y[i - 1];
}

// loop: solver_rows
// source: bullet3, src/BulletDynamics/MLCPSolvers/btDantzigLCP.cpp, btFactorLDLT
// rule: RL201 omp simd
// data: float *a = floats(n * m)
// data: float *b = floats(m)
// data: float *out = floats(n)
// call: n, m, a, b, out
// size: L2 n=100 m=64
void before(int n, int m, const float *a, const float *b, float *out) {
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int k = 0; k < m; k++) sum += a[i * m + k] * b[k];
    out[i] = sum;
  }
}
void after(int n, int m, const float *a, const float *b, float *out) {
  for (int i = 0; i < n; i++) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int k = 0; k < m; k++) sum += a[i * m + k] * b[k];
    out[i] = sum;
  }
}

// loop: louvain_degrees
// source: miniVite, dspl.hpp, distExecuteLouvainIteration
// rule: RL219
// data: int *c = ints(n, 0, 16)
// data: int *count = ints(64, 0, 1)
// call: n, c, count
// size: L1 n=6000
// size: L2 n=100000
void before(int n, const int *c, int *count) {
  for (int i = 0; i < n; i++) count[c[i]]++;
}
void after(int n, const int *c, int *count) {
  int part[4][16] = {{0}};
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    part[0][c[i]]++;
    part[1][c[i + 1]]++;
    part[2][c[i + 2]]++;
    part[3][c[i + 3]]++;
  }
  for (; i < n; i++) part[0][c[i]]++;
  for (int k = 0; k < 16; k++) count[k] += part[0][k] + part[1][k] + part[2][k] + part[3][k];
}

// loop: pressure_passes
// source: LULESH, lulesh.cc, CalcPressureForElems
// rule: RL104
// data: double *c = doubles(n)
// data: double *b = doubles(n)
// data: double *pb = doubles(n)
// data: double *p = doubles(n)
// data: double *e = doubles(n)
// call: n, c, b, pb, p, e
// size: L1 n=700
// size: memory n=4000000
void before(int n, const double *restrict c, double *restrict b, double *restrict pb,
            double *restrict p, const double *restrict e) {
  for (int i = 0; i < n; i++) {
    b[i] = 2.0 / 3.0 * (c[i] + 1.0);
    pb[i] = 2.0 / 3.0;
  }
  for (int i = 0; i < n; i++) p[i] = b[i] * e[i];
}
void after(int n, const double *restrict c, double *restrict b, double *restrict pb,
           double *restrict p, const double *restrict e) {
  for (int i = 0; i < n; i++) {
    b[i] = 2.0 / 3.0 * (c[i] + 1.0);
    pb[i] = 2.0 / 3.0;
    p[i] = b[i] * e[i];
  }
}
