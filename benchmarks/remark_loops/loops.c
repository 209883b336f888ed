#include <math.h>
#include <stdlib.h>
#include <string.h>
#define COUNT 1024

struct box {
  int w, h;
  float *cell;
};
struct atom {
  double x, y, z, charge;
};
extern double estimate(double);
extern int limit;

void root(int n, float *restrict y, const float *restrict x) {
  for (int i = 0; i < n; i++) // sqrt may set errno
    y[i] = sqrtf(x[i]);
}
double dot(int n, const double *a, const double *b) {
  double s = 0;
  for (int i = 0; i < n; i++) // sum in order
    s += a[i] * b[i];
  return s;
}
int sum_of_ints(int n, const int *a) {
  int s = 0;
  for (int i = 0; i < n; i++) // sum of integers
    s += a[i];
  return s;
}
void prefix(int n, double *a) {
  for (int i = 1; i < n; i++) // recurrence
    a[i] += a[i - 1];
}
void shift(int n, double *a) {
  for (int i = 0; i < n - 1; i++) // reads ahead
    a[i] = a[i + 1] * 0.5;
}
void copy_maybe_aliased(int n, double *a, const double *b) {
  for (int i = 0; i < n; i++) // versioned
    a[i] = 2 * b[i];
}
void clear_box(struct box *b) {
  for (int i = 0; i < b->w * b->h; i++) // bound in memory, of another type
    b->cell[i] = 0.5f;
}
void clear_bytes(struct box *b, unsigned char *p) {
  for (int i = 0; i < b->w; i++) // bound that a byte store may change
    p[i] = (unsigned char)(p[i] / 2);
}
int first_negative(int n, const float *x) {
  for (int i = 0; i < n; i++) // search
    if (x[i] < 0)
      return i;
  return n;
}
void gathered(int n, double *restrict y, const double *restrict x, const int *restrict at) {
  for (int i = 0; i < n; i++) // gather
    y[i] = x[at[i]] + 1;
}
void scattered(int n, double *restrict y, const double *restrict x, const int *restrict at) {
  for (int i = 0; i < n; i++) // scatter
    y[at[i]] += x[i];
}
void every_fourth(int n, float *restrict y, const float *restrict x) {
  for (int i = 0; i < n; i++) // stride of four
    y[i] = x[4 * i] + 1;
}
double charges(int n, const struct atom *a) {
  double s = 0;
  for (int i = 0; i < n; i++) // one member of four
    s += a[i].charge;
  return s;
}
void called(int n, double *restrict y, const double *restrict x) {
  for (int i = 0; i < n; i++) // unknown call
    y[i] = estimate(x[i]);
}
void clipped(int n, float *restrict y, const float *restrict x) {
  for (int i = 0; i < n; i++) // select
    y[i] = x[i] > 1 ? 1 : x[i];
}
void guarded(int n, float *restrict y, const float *restrict x) {
  for (int i = 0; i < n; i++) // store under a condition
    if (x[i] > 0)
      y[i] = x[i] * 3;
}
void divided(int n, int *restrict y, const int *restrict x, int d) {
  for (int i = 0; i < n; i++) // integer division
    y[i] = x[i] / d;
}
void by_seven(int n, unsigned *restrict y, const unsigned *restrict x) {
  for (int i = 0; i < n; i++) // constant divisor
    y[i] = x[i] / 7;
}
void scaled(int n, double *restrict y, const double *restrict x, double d) {
  for (int i = 0; i < n; i++) // divisor that does not change
    y[i] = x[i] / d;
}
void literal(int n, float *restrict y, const float *restrict x) {
  for (int i = 0; i < n; i++) // double literal
    y[i] = x[i] * 0.3 + 1.7;
}
void backwards(int n, double *restrict y, const double *restrict x) {
  for (int i = n - 1; i >= 0; i--) // runs backwards
    y[i] = x[i] + 1;
}
void wrapped(unsigned n, unsigned off, float *restrict y, const float *restrict x) {
  for (unsigned i = 0; i < n; i++) // unsigned index that may wrap
    y[i] = x[i + off];
}
double largest(int n, const double *x) {
  double m = x[0];
  for (int i = 1; i < n; i++) // maximum by a condition
    if (x[i] > m)
      m = x[i];
  return m;
}
int place_of_largest(int n, const float *x) {
  int at = 0;
  for (int i = 1; i < n; i++) // place of a maximum
    if (x[i] > x[at])
      at = i;
  return at;
}
int evens(int n, const int *x, int *out) {
  int m = 0;
  for (int i = 0; i < n; i++) // packed list
    if (x[i] % 2 == 0)
      out[m++] = x[i];
  return m;
}
void counted(int n, const unsigned char *x, int *bin) {
  for (int i = 0; i < n; i++) // histogram
    bin[x[i]]++;
}
int brightness(int n, const unsigned char *x) {
  int s = 0;
  for (int i = 0; i < n; i++) // sum of bytes
    s += x[i];
  return s;
}
void powers(int n, double *restrict y, const double *restrict x) {
  for (int i = 0; i < n; i++) // library function
    y[i] = exp(x[i]);
}
void cubes(int n, double *restrict y, const double *restrict x) {
  for (int i = 0; i < n; i++) // power
    y[i] = pow(x[i], 3);
}
void rounded(int n, float *restrict y, const float *restrict x) {
  for (int i = 0; i < n; i++) // floor
    y[i] = floorf(x[i]);
}
void upper(char *s) {
  for (size_t i = 0; i < strlen(s); i++) // length in the condition
    s[i] = (char)(s[i] - 32);
}
void columns(double a[COUNT][COUNT], double *s) {
  for (int j = 0; j < COUNT; j++)
    for (int i = 0; i < COUNT; i++) // column walk
      s[j] += a[i][j];
}
void product(int n, double a[n][n], double b[n][n], double c[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) // matrix product
        c[i][j] += a[i][k] * b[k][j];
}
void stencil(int n, double *restrict y, const double *restrict x) {
  for (int i = 1; i < n - 1; i++) // neighbours
    y[i] = x[i - 1] + x[i] + x[i + 1];
}
void short_rows(int n, double (*restrict y)[3], double (*restrict x)[3]) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) // three iterations
      y[i][k] = x[i][k] * 2;
}
void first_apart(int n, double *restrict y, const double *restrict x) {
  for (int i = 0; i < n; i++) // the first iteration differs
    if (i == 0)
      y[i] = x[i];
    else
      y[i] = x[i] + x[i - 1];
}
void unswitched(int n, double *restrict y, const double *restrict x, int mode) {
  for (int i = 0; i < n; i++) // condition that does not change
    if (mode)
      y[i] = x[i];
    else
      y[i] = -x[i];
}
void global_bound(int *p) {
  for (int i = 0; i < limit; i++) // bound that a store may change
    p[i] = i;
}
double walked(const double *p, const double *end) {
  double s = 0;
  for (; p != end; p++) // pointer walk
    s += *p * *p;
  return s;
}
void fresh_buffer(int n, double *restrict y, const double *restrict x) {
  for (int i = 0; i < n; i++) { // allocation in the loop
    double *t = malloc(8 * sizeof *t);
    for (int k = 0; k < 8; k++)
      t[k] = x[i] * k;
    y[i] = t[1] + t[7];
    free(t);
  }
}
void every_iteration_sums(int n, double *s, const double *x) {
  for (int i = 0; i < n; i++) // sum in memory
    *s += x[i];
}
void float_counter(float *y) {
  for (float t = 0; t < 100; t += 0.1f) // counter in floating point
    y[(int)(t * 10)] = t;
}
void narrow_counter(float *y, int n) {
  for (short i = 0; i < n; i++) // narrow counter
    y[i] = i;
}
