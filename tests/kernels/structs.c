/* members: arrays of structures, structures of arrays, through pointers */
struct particle {
  double x, y, z;
  float mass;
};
struct field {
  int n;
  double *u;
  double row[64];
};

void array_of_structures(struct particle *p, int n, double t) {
  for (int i = 0; i < n; i++) p[i].x += t * p[i].y;
}

void through_pointer(struct field *f) {
  for (int i = 0; i < f->n; i++) f->u[i] = f->row[i % 64];
}

void structure_of_arrays(struct field f, double *out) {
  for (int i = 0; i < 64; i++) out[i] = f.row[i];
}

void walking_structures(struct particle *p, struct particle *end) {
  for (; p != end; p++) p->mass *= 0.5f;
}
