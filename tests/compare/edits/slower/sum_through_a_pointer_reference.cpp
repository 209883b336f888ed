//! edit: sum through a pointer
//! form: reference
//! sizes: n=1000
//! reason: sum|stores per iteration
//! otherwise: gcc -O2, clang -O2, clang -O3
//! why: clang as of the pointer to int; gcc -O2 makes vectors of neither
//! before
void total(int n, unsigned &sum, const unsigned *x)
{
    unsigned s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    sum = s;
}
//! after
void total(int n, unsigned &sum, const unsigned *x)
{
    sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
}
