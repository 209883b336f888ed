//! edit: sum through a pointer
//! form: member of the object
//! sizes: n=1000
//! reason: weight stays in memory
//! otherwise: gcc -O2, gcc -O3, gcc -O3 -march=skylake-avx512, clang -O2, clang -O3
//! why: as of the pointer to double
//! before
struct Histogram {
    double weight;
    void add(int n, const double *x)
    {
        double s = weight;
        for (int i = 0; i < n; i++)
            s += x[i];
        weight = s;
    }
};
void use(Histogram &h, int n, const double *x) { h.add(n, x); }
//! after
struct Histogram {
    double weight;
    void add(int n, const double *x)
    {
        for (int i = 0; i < n; i++)
            weight += x[i];
    }
};
void use(Histogram &h, int n, const double *x) { h.add(n, x); }
