/* pointers that walk, loops that count without a for */
void copy(double *to, const double *from, int n) {
  double *end = to + n;
  while (to < end) *to++ = *from++;
}

void count_down(double *p, int n) {
  while (n--) *p++ = 0.0;
}

void for_pointer(double *a, int n) {
  for (double *p = a; p != a + n; ++p) *p *= 2.0;
}

double do_loop(const double *x, int n) {
  double s = 0.0;
  int i = 0;
  do {
    s += x[i];
  } while (++i < n);
  return s;
}

void strided_walk(double *p, int n) {
  for (int i = 0; i < n; i += 4) {
    p[0] = p[1];
    p += 4;
  }
}

void two_at_once(double *a, double *b, int n) {
  int k = 0;
  for (int i = 0, j = n - 1; i < j; i++, j--) {
    a[i] = b[j] + b[k];
    k += 3;
  }
}

void dense_walk(double *a, int n, int m) {
  int k = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[k++] = 1.0;
}
