/* what cannot be modelled says so */
struct node {
  struct node *next;
  double value;
};

double list(struct node *p) {
  double s = 0.0;
  while (p) {
    s += p->value;
    p = p->next;
  }
  return s;
}

void assembly(double *a, int n) {
  for (int i = 0; i < n; i++) {
    __asm__ volatile("" ::: "memory");
    a[i] = 0.0;
  }
}

void through_function_pointer(double *a, int n, double (*f)(double)) {
  for (int i = 0; i < n; i++) a[i] = f(a[i]);
}

void goto_loop(double *a, int n) {
  int i = 0;
again:
  a[i] = 0.0;
  if (++i < n) goto again;
  for (i = 0; i < n; i++) a[i] = 1.0;
}
