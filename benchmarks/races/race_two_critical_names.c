#include <stdio.h>
int main(void) {
  long balance = 0;
#pragma omp parallel for
  for (int i = 0; i < 20000; i++) {
#pragma omp critical(credit)
    balance += i;
#pragma omp critical(debit)
    balance -= 1;
  }
  printf("%ld\n", balance);
}
