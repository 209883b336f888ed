// rule: RL202
// call: A, B, h, n
// size: cache n=2000
// size: memory n=8000000
// type: double
// type: float
void before(REAL *restrict a, const REAL *restrict x, REAL b, int n) {
  for (int i = 0; i < n; i++)
    a[i] = x[i] / b;
}

void after(REAL *restrict a, const REAL *restrict x, REAL b, int n) {
  const REAL inverse = (REAL)1 / b;
  for (int i = 0; i < n; i++)
    a[i] = x[i] * inverse;
}
