// rule: RL201 keeping 8
// call: A, B, n
// size: cache n=1000
// size: memory n=24000000
void before(double *restrict out, const double *restrict x, int n) {
  double s = 0.0;
  for (int i = 0; i < n; i++)
    s += x[i];
  *out = s;
}

void after(double *restrict out, const double *restrict x, int n) {
  double a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    a += x[i], b += x[i + 1], c += x[i + 2], d += x[i + 3];
    e += x[i + 4], f += x[i + 5], g += x[i + 6], h += x[i + 7];
  }
  for (; i < n; i++)
    a += x[i];
  *out = ((a + b) + (c + d)) + ((e + f) + (g + h));
}
