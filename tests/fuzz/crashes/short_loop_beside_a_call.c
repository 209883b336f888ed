struct faces {
  double *factor[6];
};
double *allocate(int);
void clear(struct faces *faces) {
  for (int i = 0; i < 6; i++) {
    faces->factor[i] = allocate(3);
    for (int j = 0; j < 3; j++)
      faces->factor[i][j] = 0.0;
  }
}
