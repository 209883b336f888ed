// rule: RL201 omp simd
// call: A, B, n
// flags: -fopenmp-simd
// size: cache n=1000
// size: memory n=24000000
// type: double
// type: float
void before(REAL *restrict out, const REAL *restrict x, int n) {
  REAL s = 0;
  for (int i = 0; i < n; i++)
    s += x[i];
  *out = s;
}

void after(REAL *restrict out, const REAL *restrict x, int n) {
  REAL s = 0;
#pragma omp simd reduction(+ : s)
  for (int i = 0; i < n; i++)
    s += x[i];
  *out = s;
}
