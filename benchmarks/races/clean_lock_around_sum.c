#include <omp.h>
#include <stdio.h>
int main(void) {
  omp_lock_t lock;
  double sum = 0;
  omp_init_lock(&lock);
#pragma omp parallel for
  for (int i = 0; i < 20000; i++) {
    omp_set_lock(&lock);
    sum += i;
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  printf("%g\n", sum);
}
