/* constant, variable-length and pointer arrays, and the ways to index them */
#include <stdlib.h>
#define N 100
double A[N][N], v[N];

void constant_extents(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) A[i][j] = v[j];
}

void variable_length(int n, int m, double B[n][m + 1]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) B[i][j + 1] = B[i][j];
}

void pointer_to_rows(int n, double (*B)[N]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < N; j++) B[i][j] *= 2.0;
}

void rows_of_pointers(int n, int m, double **p) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) p[i][j] += 1.0;
}

void linearised(int n, float *a) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[i * n + j] = a[j * n + i];
}

void pointer_arithmetic(int n, double *p) {
  for (int i = 0; i < n; i++) *(p + i) = *(i + p) + 2[p];
}

void heap(int n) {
  double(*B)[n] = malloc(sizeof(double[n][n]));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) B[i][j] = 0.0;
}
