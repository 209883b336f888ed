#include <omp.h>
#include <stdio.h>
int main(void) {
  int mine = 0;
#pragma omp parallel for
  for (int i = 0; i < 20000; i++)
    if (omp_get_thread_num() == 0)
      mine++;
  printf("%d\n", mine > 0);
}
