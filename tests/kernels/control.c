/* branches, selections and early exits */
#include <math.h>

void selected(double *a, const double *b, int n) {
  for (int i = 0; i < n; i++) a[i] = b[i] > 0.0 ? b[i] : -b[i];
}

void guarded(double *a, const double *b, int n) {
  for (int i = 0; i < n; i++) {
    if (b[i] > 0.0)
      a[i] = sqrt(b[i]);
    else
      a[i] = 0.0;
  }
}

void skipping(double *a, const double *b, int n) {
  for (int i = 0; i < n; i++) {
    if (b[i] < 0.0) continue;
    a[i] += b[i];
  }
}

int search(const double *a, int n, double key) {
  for (int i = 0; i < n; i++)
    if (a[i] == key) return i;
  return -1;
}

void packed(double *a, const double *b, int n) {
  int k = 0;
  for (int i = 0; i < n; i++)
    if (b[i] > 0.0) a[k++] = b[i];
}

void switched(double *a, const int *kind, int n) {
  for (int i = 0; i < n; i++) {
    switch (kind[i]) {
      case 0: a[i] = 0.0; break;
      case 1:
      case 2: a[i] *= 2.0; break;
      default: a[i] += 1.0;
    }
  }
}

void clamped(double *a, int n, int m) {
  int hi = n;
  if (hi > m) hi = m;
  for (int i = 0; i < hi; i++) a[i] = 1.0;
}
