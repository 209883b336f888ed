//! edit: loops swapped in a product
//! form: ikj to jki, static rows
//! reason: unit stride of c lost
//! before
#define N 200
double a[N][N], b[N][N], c[N][N];
void product(void)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++)
                c[i][j] += a[i][k] * b[k][j];
}
//! after
#define N 200
double a[N][N], b[N][N], c[N][N];
void product(void)
{
    for (int j = 0; j < N; j++)
        for (int k = 0; k < N; k++)
            for (int i = 0; i < N; i++)
                c[i][j] += a[i][k] * b[k][j];
}
