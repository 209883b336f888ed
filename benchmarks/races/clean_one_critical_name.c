#include <stdio.h>
int main(void) {
  long balance = 0;
#pragma omp parallel for
  for (int i = 0; i < 20000; i++) {
#pragma omp critical(book)
    balance += i;
#pragma omp critical(book)
    balance -= 1;
  }
  printf("%ld\n", balance);
}
