//! edit: sum through a pointer
//! form: float
//! sizes: n=1000
//! reason: sum
//! otherwise: gcc -O2, gcc -O3, gcc -O3 -march=skylake-avx512, clang -O2, clang -O3
//! why: as of the pointer to double: 1.04 and 1.05 x with gcc 12 -O2 and -O3 (Rocket Lake), whose
//! why: code keeps the sum in a register and only stores it
//! before
void total(int n, float *sum, const float *x)
{
    float s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    *sum = s;
}
//! after
void total(int n, float *sum, const float *x)
{
    *sum = 0;
    for (int i = 0; i < n; i++)
        *sum += x[i];
}
