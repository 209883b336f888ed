// rule: RL210
// call: A, B, n
// size: cache n=1000
// type: double
// type: int
void before(REAL *s, const REAL *x, int n) {
  for (int i = 0; i < n; i++)
    s[0] += x[i];
}

void after(REAL *s, const REAL *x, int n) {
  REAL sum = s[0];
  for (int i = 0; i < n; i++)
    sum += x[i];
  s[0] = sum;
}
