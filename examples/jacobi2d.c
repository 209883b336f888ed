/* Five-point stencil on a grid of fixed size: the sizes are in the source. */
#define N 4000

static double old[N][N], new[N][N];

void jacobi2d(int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                new[i][j] = 0.25 * (old[i - 1][j] + old[i + 1][j] + old[i][j - 1] + old[i][j + 1]);

        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                old[i][j] = new[i][j];
    }
}
