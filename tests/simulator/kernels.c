/* Kernels on which the simulator is held against cachegrind; every array starts on a page. */

#define N 60
#define PAGE __attribute__((aligned(4096)))

PAGE double a[N][N];
PAGE double b[N][N];
PAGE double c[N][N];
PAGE double x[8192];
PAGE double y[8192];
PAGE double flushed[1 << 18];
double total;

/* One pass over 2 MiB replaces everything that caches of up to that size hold. */
void flush(void)
{
  double sum = 0;
  for (int i = 0; i < 1 << 18; i++)
    sum += flushed[i];
  total += sum;
}

void kernel_triad(void)
{
  for (int t = 0; t < 2; t++)
    for (int i = 0; i < 8192; i++)
      x[i] = x[i] + 3.0 * y[i];
}

void kernel_stride(void)
{
  for (int t = 0; t < 3; t++)
    for (int i = 8191; i >= 0; i -= 24)
      y[i] = x[i];
}

void kernel_transpose(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      b[j][i] = a[i][j];
}

void kernel_matmul(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        c[i][j] += a[i][k] * b[k][j];
}

void kernel_stencil(void)
{
  for (int t = 0; t < 3; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        b[i][j] = 0.25 * (a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        a[i][j] = b[i][j];
  }
}

void kernel_triangle(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++) {
      if (j > 0)
        c[i][j] = c[i][j] - a[j][i] * b[j - 1][i];
      if (i + 1 < N)
        c[i][j] += c[i + 1][j];
    }
}

int main(void)
{
  flush();
  kernel_triad();
  flush();
  kernel_stride();
  flush();
  kernel_transpose();
  flush();
  kernel_matmul();
  flush();
  kernel_stencil();
  flush();
  kernel_triangle();
  return total > 1.0;
}
