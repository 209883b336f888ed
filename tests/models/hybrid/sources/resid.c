/* The residual of multigrid: r = v - A u, 27 points, four coefficients. */
enum { N = 258 };

void resid(const float u[N][N][N], const float v[N][N][N], float r[N][N][N], float a0, float a1,
           float a2, float a3)
{
    for (int i3 = 1; i3 < N - 1; i3++)
        for (int i2 = 1; i2 < N - 1; i2++)
            for (int i1 = 1; i1 < N - 1; i1++)
                r[i3][i2][i1] = v[i3][i2][i1] -
                    (a0 * u[i3][i2][i1] +
                     a1 * (u[i3][i2][i1 - 1] + u[i3][i2][i1 + 1] + u[i3][i2 - 1][i1] +
                           u[i3][i2 + 1][i1] + u[i3 - 1][i2][i1] + u[i3 + 1][i2][i1]) +
                     a2 * (u[i3][i2 - 1][i1 - 1] + u[i3][i2 - 1][i1 + 1] +
                           u[i3][i2 + 1][i1 - 1] + u[i3][i2 + 1][i1 + 1] +
                           u[i3 - 1][i2][i1 - 1] + u[i3 - 1][i2][i1 + 1] +
                           u[i3 + 1][i2][i1 - 1] + u[i3 + 1][i2][i1 + 1] +
                           u[i3 - 1][i2 - 1][i1] + u[i3 - 1][i2 + 1][i1] +
                           u[i3 + 1][i2 - 1][i1] + u[i3 + 1][i2 + 1][i1]) +
                     a3 * (u[i3 - 1][i2 - 1][i1 - 1] + u[i3 - 1][i2 - 1][i1 + 1] +
                           u[i3 - 1][i2 + 1][i1 - 1] + u[i3 - 1][i2 + 1][i1 + 1] +
                           u[i3 + 1][i2 - 1][i1 - 1] + u[i3 + 1][i2 - 1][i1 + 1] +
                           u[i3 + 1][i2 + 1][i1 - 1] + u[i3 + 1][i2 + 1][i1 + 1]));
}
