// rule: RL105
// call: A, B, n
// size: cache n=1000
// size: memory n=8000000
void before(double *restrict a, const double *restrict b, int n) {
  for (int i = 0; i < n; i++)
    a[i] = 2.0 * b[i];
}

#include <emmintrin.h>
void after(double *restrict a, const double *restrict b, int n) {
  const __m128d two = _mm_set1_pd(2.0);
  for (int i = 0; i < n; i += 2)
    _mm_stream_pd(a + i, _mm_mul_pd(two, _mm_loadu_pd(b + i)));
  _mm_sfence();
}
