// rule: RL107
// call: A, B
// elements: 512 * 4104
// size: conflict n=512
void before(double *restrict s, const double (*restrict a)[4096]) {
  for (int k = 0; k < 8; k++)
    for (int i = 0; i < 512; i++)
      s[k] += a[i][k];
}

void after(double *restrict s, const double (*restrict a)[4104]) {
  for (int k = 0; k < 8; k++)
    for (int i = 0; i < 512; i++)
      s[k] += a[i][k];
}
