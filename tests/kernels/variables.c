/* variables that loops change: inductions, reductions, swaps, searches */
void stepped_in_body(double *a, int n) { for (int i = 0; i < n; i++) { a[i] = 0; i++; } }
void counted_by_condition(double *a, int n) { for (int i = n; i--; ) a[i] = 1; }
void unsigned_down(double *a, unsigned long n) { for (unsigned long i = n; i-- > 0;) a[i] = 1; }
void do_down(double *a, int n) { do { a[n] = 2; } while (--n); }
void counter_across_nests(double *a, int n, int m) { int k = 0; for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) { a[k] = i; k++; } k += 2; } a[k] = 0; }
double maximum(double *b, int n) { double m = b[0]; for (int i = 1; i < n; i++) { double t = b[i]; if (t > m) m = t; } return m; }
void reused_index(double *a, int n) { int i, j; for (i = 0; i < n; i++) for (j = 0; j < i; j++) a[i*n+j] = 0; for (i = 0; i < n; ++i) a[i] = j; }
void scatter(double *a, const int *idx, int n) { for (int i = 0; i < n; i++) { int j = idx[i]; a[j] += 1.0; a[j+1] -= 1.0; } }
void split_range(double *restrict a, int n) { int half = n / 2, i; for (i = 0; i < half; i++) a[i] = a[n - 1 - i]; for (; i < n; i++) a[i] = 0; }
void unrolled(float *x, int n) { for (int i = 0; i < n; i += 4) { x[i] *= 2; x[i+1] *= 2; x[i+2] *= 2; x[i+3] *= 2; } }
void tiny_matrix(double a[3][3], double b[3][3]) { for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) { a[i][j] = 0; for (int k = 0; k < 3; k++) a[i][j] += b[i][k] * b[k][j]; } }
void doubling(double *a, int n) { for (int i = 1; i < n; i *= 2) a[i] = 0; }
void bisection(double *a, int n) { int lo = 0, hi = n; while (lo < hi) { int mid = (lo + hi) / 2; if (a[mid] < 1) lo = mid + 1; else hi = mid; } }
struct v3 { double x, y, z; };
void record_copy(struct v3 *p, const struct v3 *q, int n) { for (int i = 0; i < n; i++) p[i] = q[i]; }
static int N; double G[100];
void global_bound(void) { for (int i = 0; i < N; i++) G[i] = G[i] * 2; }
void swapped_pointers(int n, double *a, double *b) { double *t; for (int k = 0; k < 10; k++) { for (int i = 0; i < n; i++) a[i] = b[i]; t = a; a = b; b = t; } }
