// rule: RL107
// call: n, 1000, B, A
// elements: n * 4104
// size: conflict n=32 times=1000
void before(int n, int times, const double (*restrict g)[4096], double *restrict h) {
  for (int t = 0; t < times; t++)
    for (int i = 0; i < n; i++)
      h[i] += g[i][0];
}

void after(int n, int times, const double (*restrict g)[4104], double *restrict h) {
  for (int t = 0; t < times; t++)
    for (int i = 0; i < n; i++)
      h[i] += g[i][0];
}
