// rule: RL106
// call: A, B, n
// type: float
// elements: 8 * n
// size: cache n=500
// size: memory n=16000000
struct body { float x, y, z, u, v, w, mass, charge; };
void before(float *restrict out, const struct body *restrict p, int n) {
  for (int i = 0; i < n; i++)
    out[i] = 2.0f * p[i].x;
}

void after(float *restrict out, const float *restrict x, int n) {
  for (int i = 0; i < n; i++)
    out[i] = 2.0f * x[i];
}
