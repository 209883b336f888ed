/* Loop nests of dense linear algebra, stencils and data mining, and the shapes that trouble figures:
   data that stays in a cache, several element types, copies, integers, reductions, parallel loops. */
#include <math.h>
#define N 512
#define M 3000
double A[N][N], B[N][N], C[N][N], D[N][N];
double x[N], y[N], z[N], small[64], other[64];
double big[M][M], bigger[M][M];
float fa[M][M], fb[M][M];
int ia[M], ib[M];

void gemm(double alpha, double beta) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) C[i][j] *= beta;
    for (int k = 0; k < N; k++)
      for (int j = 0; j < N; j++) C[i][j] += alpha * A[i][k] * B[k][j];
  }
}
void gemm_columns(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++) C[i][j] += A[i][k] * B[k][j];
}
void two_products(double alpha) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      C[i][j] = 0;
      for (int k = 0; k < N; k++) C[i][j] += alpha * A[i][k] * B[k][j];
    }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++) D[i][j] += C[i][k] * B[k][j];
}
void symmetric(double alpha) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < N; k++) C[i][j] += alpha * A[i][k] * A[j][k];
}
void triangular(double alpha) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      for (int k = i + 1; k < N; k++) B[i][j] += A[k][i] * B[k][j];
      B[i][j] = alpha * B[i][j];
    }
}
void matrix_vector(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) x[i] = x[i] + A[i][j] * y[j];
}
void transposed_vector(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) x[i] = x[i] + A[j][i] * y[j];
}
void both_vectors(void) {
  for (int i = 0; i < N; i++) {
    y[i] = 0;
    for (int j = 0; j < N; j++) {
      z[j] = z[j] + x[i] * A[i][j];
      y[i] = y[i] + A[i][j] * z[j];
    }
  }
}
void rank_two(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) A[i][j] = A[i][j] + x[i] * y[j] + z[i] * y[j];
}
void cholesky(void) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++) A[i][j] -= A[i][k] * A[j][k];
      A[i][j] /= A[j][j];
    }
    for (int k = 0; k < i; k++) A[i][i] -= A[i][k] * A[i][k];
    A[i][i] = sqrt(A[i][i]);
  }
}
void lu(void) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++) A[i][j] -= A[i][k] * A[k][j];
      A[i][j] /= A[j][j];
    }
    for (int j = i; j < N; j++)
      for (int k = 0; k < i; k++) A[i][j] -= A[i][k] * A[k][j];
  }
}
void forward_substitution(void) {
  for (int i = 0; i < N; i++) {
    x[i] = y[i];
    for (int j = 0; j < i; j++) x[i] -= A[i][j] * x[j];
    x[i] = x[i] / A[i][i];
  }
}
void levinson(void) {
  for (int k = 1; k < N; k++) {
    double sum = 0, beta = 1;
    for (int i = 0; i < k; i++) sum += x[k - i - 1] * y[i];
    for (int i = 0; i < k; i++) z[i] = y[i] + beta * y[k - i - 1];
    for (int i = 0; i < k; i++) y[i] = z[i];
  }
}
void orthogonalise(void) {
  for (int k = 0; k < N; k++) {
    double norm = 0;
    for (int i = 0; i < N; i++) norm += A[i][k] * A[i][k];
    for (int i = 0; i < N; i++) B[i][k] = A[i][k] / sqrt(norm);
    for (int j = k + 1; j < N; j++) {
      for (int i = 0; i < N; i++) C[k][j] += B[i][k] * A[i][j];
      for (int i = 0; i < N; i++) A[i][j] = A[i][j] - B[i][k] * C[k][j];
    }
  }
}
void means(void) {
  for (int j = 0; j < N; j++) {
    x[j] = 0;
    for (int i = 0; i < N; i++) x[j] += A[i][j];
    x[j] /= N;
  }
}
void correlation(void) {
  for (int i = 0; i < N - 1; i++)
    for (int j = i + 1; j < N; j++)
      for (int k = 0; k < N; k++) C[i][j] += A[k][i] * A[k][j];
}
void jacobi_1d(int steps) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < N - 1; i++) y[i] = 0.33333 * (x[i - 1] + x[i] + x[i + 1]);
    for (int i = 1; i < N - 1; i++) x[i] = 0.33333 * (y[i - 1] + y[i] + y[i + 1]);
  }
}
void jacobi_2d(int steps) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < M - 1; i++)
      for (int j = 1; j < M - 1; j++)
        bigger[i][j] =
            0.2 * (big[i][j] + big[i][j - 1] + big[i][j + 1] + big[i + 1][j] + big[i - 1][j]);
}
void seidel(void) {
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      A[i][j] = (A[i - 1][j] + A[i][j - 1] + A[i][j] + A[i][j + 1] + A[i + 1][j]) / 5.0;
}
void fields(int steps) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < N; i++)
      for (int j = 0; j < N; j++) A[i][j] = A[i][j] - 0.5 * (C[i][j] - C[i - 1][j]);
    for (int i = 0; i < N; i++)
      for (int j = 1; j < N; j++) B[i][j] = B[i][j] - 0.5 * (C[i][j] - C[i][j - 1]);
  }
}
void shortest_paths(void) {
  for (int k = 0; k < N; k++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        A[i][j] = A[i][j] < A[i][k] + A[k][j] ? A[i][j] : A[i][k] + A[k][j];
}
void recursive_filter(void) {
  for (int i = 0; i < N; i++) {
    double before = 0;
    for (int j = 0; j < N; j++) {
      B[i][j] = 0.5 * A[i][j] + 0.25 * before;
      before = B[i][j];
    }
  }
}
void stays_in_l1(void) {
  for (int i = 0; i < 64; i++) small[i] = small[i] * 1.5 + other[i];
#pragma omp parallel for
  for (int i = 0; i < 64; i++) small[i] = small[i] * 1.5 + other[i];
}
void streams(void) {
#pragma omp parallel for
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++) big[i][j] = 2.0 * bigger[i][j] + 1.0;
}
void single_precision(void) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++) fa[i][j] = fa[i][j] * 0.5f + fb[i][j];
}
void copies(void) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++) big[i][j] = bigger[i][j];
}
void fills(void) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++) big[i][j] = 0;
}
void transposes(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < i; j++) {
      double t = A[i][j];
      A[i][j] = A[j][i];
      A[j][i] = t;
    }
}
void integers(void) {
  for (int i = 0; i < M; i++) ia[i] = ia[i] + ib[i] * 3;
}
double exponentials(void) {
  double sum = 0;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++) sum += exp(big[i][j]);
  return sum;
}
double sums(void) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++) sum += big[i][j] * bigger[i][j];
  return sum;
}
