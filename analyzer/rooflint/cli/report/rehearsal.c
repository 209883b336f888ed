/* Loops as most files have them: a run of a command on them calls what most runs call. */
struct grid {
    int rows, columns;
    double *values;
};

static double weighted(double left, double right)
{
    return 0.5 * left + 0.25 * right;
}

double sum(int n, const double *restrict a, const double *restrict b)
{
    double total = 0.0;
    for (int i = 0; i < n; i++)
        total += a[i] * b[i];
    return total;
}

void combine(int n, double *restrict a, const double *restrict b, const double *restrict c)
{
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
        a[i] = weighted(b[i - 1], b[i + 1]) + c[i];
}

void relax(struct grid *to, const struct grid *from)
{
    for (int i = 1; i < from->rows - 1; i++)
        for (int j = 1; j < from->columns - 1; j++) {
            int at = i * from->columns + j;
            if (from->values[at] > 0.0)
                to->values[at] = from->values[at - 1] + from->values[at + from->columns];
        }
}
