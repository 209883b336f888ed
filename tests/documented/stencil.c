/* Many sweeps over one grid, so that a pass of the nest is long enough to be timed. */


void sweep(int m, int n, double out[restrict m][n], const double in[restrict m][n])
{




  /* the weights are all the same */

  for (int t = 0; t < 100; t++)
    for (int i = 1; i < m - 1; i++)
      for (int j = 1; j < n - 1; j++)
        out[i][j] = 0.25 * (in[i - 1][j] + in[i + 1][j] + in[i][j - 1] + in[i][j + 1]);
}
