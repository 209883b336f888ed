/* vector code written by hand */
#include <immintrin.h>

void triad(double *a, const double *b, const double *c, double s, int n) {
  __m256d vs = _mm256_set1_pd(s);
  for (int i = 0; i < n; i += 4)
    _mm256_storeu_pd(a + i, _mm256_fmadd_pd(vs, _mm256_loadu_pd(c + i), _mm256_loadu_pd(b + i)));
}
