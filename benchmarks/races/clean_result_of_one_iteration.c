#include <stddef.h>

#define N 64

static double a[N];

static size_t fill(int row) {
    size_t done = 0;
    for (int i = row; i < N; i += N / 4, done++)
        a[row] += i;
    return done;
}

int main(void) {
    size_t first = 0, last = 0;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        size_t done = fill(i);
        if (!i)
            first = done;
        if (i == N - 1)
            last = done;
    }
    return first + last < 2;
}
