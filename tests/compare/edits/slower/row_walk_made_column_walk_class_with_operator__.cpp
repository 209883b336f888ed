//! edit: row walk made column walk
//! form: class with operator()
//! sizes: n=1000, m=1000
//! reason: B per step|B per iteration instead of
//! before
struct Grid {
    int rows, columns;
    double *data;
    double &operator()(int i, int j) { return data[i * columns + j]; }
};
void smooth(Grid &to, Grid &from, int n, int m)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            to(i, j) = 0.5 * from(i, j);
}
//! after
struct Grid {
    int rows, columns;
    double *data;
    double &operator()(int i, int j) { return data[i * columns + j]; }
};
void smooth(Grid &to, Grid &from, int n, int m)
{
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            to(i, j) = 0.5 * from(i, j);
}
