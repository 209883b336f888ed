void f(float *restrict a, const float *restrict b, int n, int d) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < 256 / (64 / d); i++)
      for (int k = 0; k < 4; k++)
        a[(j * (256 / (64 / d)) + i) * 4 + k] += b[i * 4 + k];
}
