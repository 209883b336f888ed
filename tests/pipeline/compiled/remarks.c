/* Loops of the kinds that compilers decide by a rule of their own; a name says what gcc 12 -O3 does. */
void vector_axpy(int n, double a, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

void vector_behind_checks(int n, const float *x, float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * 2;
}

long vector_sum_of_ints(int n, const int *x)
{
    long s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}

double ordered_sum(int n, const double *x)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}

void vector_select(int n, const int *restrict x, int *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] > 7 ? x[i] : 7;
}

void vector_conditional_store(int n, const int *restrict x, int *restrict y)
{
    for (int i = 0; i < n; i++)
        if (x[i] > 0)
            y[i] = x[i] + 1;
}

void vector_stride_two(int n, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[2 * i] + x[2 * i + 1];
}

void vector_backwards(int n, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[n - 1 - i];
}

double scalar_horner(int n, const double *c, double x)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s = s * x + c[i];
    return s;
}

void scalar_prefix_sum(int n, int *x)
{
    for (int i = 1; i < n; i++)
        x[i] += x[i - 1];
}

void scalar_distance_one(int n, double *x, const double *restrict y)
{
    for (int i = 1; i < n; i++)
        x[i] = x[i - 1] * y[i];
}

int scalar_search(int n, const int *x, int key)
{
    for (int i = 0; i < n; i++)
        if (x[i] == key)
            return i;
    return -1;
}

int sink(int value);
void scalar_call(int n, int *x)
{
    for (int i = 0; i < n; i++)
        x[i] = sink(x[i]);
}

void scalar_scatter(int n, const int *restrict to, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++)
        y[to[i]] = x[i];
}

int scalar_list(const int *next, int at)
{
    int length = 0;
    while (at >= 0) {
        at = next[at];
        length++;
    }
    return length;
}

void call_of_memset(int n, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = 0;
}

void call_of_memcpy(int n, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i];
}
