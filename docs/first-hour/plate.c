/* The temperature of a square plate, now and one step later. */
#include <math.h>

#include "plate.h"

static double now[SIZE][SIZE], next[SIZE][SIZE];

void start(void)
{
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            now[i][j] = i == 0 ? 100.0 : 0.0;
}

void step(double rate)
{
    for (int j = 1; j < SIZE - 1; j++)
        for (int i = 1; i < SIZE - 1; i++)
            next[i][j] = now[i][j] + rate * (now[i - 1][j] + now[i + 1][j] + now[i][j - 1]
                                             + now[i][j + 1] - 4.0 * now[i][j]);
}

double change(void)
{
    double sum = 0.0;
    for (int i = 1; i < SIZE - 1; i++)
        for (int j = 1; j < SIZE - 1; j++)
            sum += fabs(next[i][j] - now[i][j]);
    return sum;
}

void accept(void)
{
    for (int i = 1; i < SIZE - 1; i++)
        for (int j = 1; j < SIZE - 1; j++)
            now[i][j] = next[i][j];
}
