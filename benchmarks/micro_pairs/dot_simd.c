// rule: RL201 omp simd
// call: A, B, C, n
// flags: -fopenmp-simd
// size: cache n=1000
void before(double *restrict out, const double *restrict x, const double *restrict y, int n) {
  double s = 0.0;
  for (int i = 0; i < n; i++)
    s += x[i] * y[i];
  *out = s;
}

void after(double *restrict out, const double *restrict x, const double *restrict y, int n) {
  double s = 0.0;
#pragma omp simd reduction(+ : s)
  for (int i = 0; i < n; i++)
    s += x[i] * y[i];
  *out = s;
}
