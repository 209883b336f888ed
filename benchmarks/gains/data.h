/* Data for the loops: values from a fixed generator, each array at another place in its page. */
#include <stdlib.h>
#include <string.h>
static unsigned long long generator = 88172645463325252ull;
static unsigned long next_number(void) {
  generator ^= generator << 13;
  generator ^= generator >> 7;
  return generator ^= generator << 17;
}
static double fraction(void) { return (double)(next_number() % 1000000) / 1e6; }
static void *room(size_t bytes) {
  static int arrays;
  char *p = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096 + 20480);
  return p + arrays++ % 13 * 1088;
}
#define FILL(TYPE, VALUE)                                        \
  TYPE *p = room(((size_t)n + 64) * sizeof(TYPE));               \
  for (size_t i = 0; i < (size_t)n + 64; i++) p[i] = (TYPE)(VALUE); \
  return p
static inline double *doubles(long n) { FILL(double, 0.5 + fraction()); }
static inline float *floats(long n) { FILL(float, 0.5 + fraction()); }
static inline double *sdoubles(long n) { FILL(double, 2 * fraction() - 1); }
static inline float *sfloats(long n) { FILL(float, 2 * fraction() - 1); }
static inline double *sorted(long n) { FILL(double, 0.5 + (double)i / n); }
static inline long *sorted_longs(long n) { FILL(long, 1000000000L / n * i); }
static inline int *ints(long n, int low, int end) {
  FILL(int, low + (int)(next_number() % (unsigned)(end - low)));
}
static inline short *shorts(long n, int low, int end) {
  FILL(short, low + (int)(next_number() % (unsigned)(end - low)));
}
static inline unsigned char *bytes(long n, int low, int end) {
  FILL(unsigned char, low + (int)(next_number() % (unsigned)(end - low)));
}
static inline long *longs(long n, long low, long end) {
  FILL(long, low + (long)(next_number() % (unsigned long)(end - low)));
}
static inline int *steps(long n, int step) { FILL(int, (int)i * step); }
/* Columns of a matrix with bands: ``each`` in a row of n, some at a distance of ``band``. */
static inline int *near(long rows, int each, int band) {
  int *p = room(((size_t)rows * each + 64) * sizeof(int));
  for (long i = 0; i < rows; i++)
    for (int k = 0; k < each; k++) {
      long at = i + (k % 3 - 1) + (k / 3 - each / 6) * (long)band / 3;
      p[i * each + k] = (int)(at < 0 ? 0 : at >= rows ? rows - 1 : at);
    }
  return p;
}
static inline char *text(long n) {
  char *p = (char *)bytes(n, 'a', 'z');
  p[n] = 0;
  return p;
}
struct any_plane { int width; unsigned char gain, *pixel; };
struct any_signal { unsigned length; float *data; };
struct any_buffer { int length; char *text; };
static inline void *plane_of(long n) {
  struct any_plane *p = room(sizeof *p);
  *p = (struct any_plane){(int)n, 127, bytes(n, 0, 256)};
  return p;
}
static inline void *signal_of(long n) {
  struct any_signal *p = room(sizeof *p);
  *p = (struct any_signal){(unsigned)n, floats(n)};
  return p;
}
static inline void *buffer_of(long n) {
  struct any_buffer *p = room(sizeof *p);
  *p = (struct any_buffer){(int)n, text(n)};
  return p;
}
/* Another part of a long array in each call, so that no predictor knows its branches. */
static inline long shift(long n, long all) {
  static long at;
  at = at + 2 * n > all ? 0 : at + n;
  return at;
}
