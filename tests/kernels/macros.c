/* PolyBench's and TSVC's ways to write arrays, bounds and loops */
#define SCALAR_VAL(x) x
#define _PB_N n
#define POLYBENCH_2D(var, d1, d2, s1, s2) var[d1][d2]
#define LEN_1D 32000
#define lll LEN_1D / 2 - 1
#define FOR(i, n) for (int i = 0; i < (n); i++)

float a[LEN_1D], b[LEN_1D];

void kernel_scale(int n, double POLYBENCH_2D(A, 1000, 1200, n, m)) {
  for (int i = 0; i < _PB_N; i++)
    for (int j = 0; j < _PB_N; j++) A[i][j] = SCALAR_VAL(2.0) * A[i][j];
}

void s1113(void) {
  for (int i = 0; i < lll; i++) a[i] = a[LEN_1D / 2] + b[i];
}

void looping_macro(void) { FOR(k, 100) a[k] = b[k]; }
