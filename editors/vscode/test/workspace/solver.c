/* A small solver on a grid of CELLS x CELLS: one file with the loops that such programs have. */
#include <math.h>
#include <stdlib.h>

#define CELLS 1500
#define STEPS 20

static double pressure[CELLS][CELLS], velocity[CELLS][CELLS], source[CELLS][CELLS];
static double spread[CELLS][CELLS], weights[CELLS];
static int order[CELLS];

static void set_grid(double start)
{
    for (int row = 0; row < CELLS; row++)
        for (int column = 0; column < CELLS; column++)
            pressure[row][column] = start;
    for (int row = 0; row < CELLS; row++)
        for (int column = 0; column < CELLS; column++)
            velocity[row][column] = 0;
    for (int row = 0; row < CELLS; row++)
        weights[row] = 1.0 / (1 + row);
    for (int row = 0; row < CELLS; row++)
        order[row] = (row * 7) % CELLS;
}

static void add_sources(double scale)
{
    for (int column = 0; column < CELLS; column++)
        for (int row = 0; row < CELLS; row++)
            source[row][column] = scale * pressure[row][column];
}

static void relax(void)
{
    for (int row = 1; row < CELLS - 1; row++)
        for (int column = 1; column < CELLS - 1; column++)
            spread[row][column] = 0.25 * (pressure[row - 1][column] + pressure[row + 1][column]
                                          + pressure[row][column - 1] + pressure[row][column + 1]);
    for (int row = 1; row < CELLS - 1; row++)
        for (int column = 1; column < CELLS - 1; column++)
            pressure[row][column] = spread[row][column];
}

static double residual(void)
{
    double sum = 0;
    for (int row = 0; row < CELLS; row++)
        for (int column = 0; column < CELLS; column++)
            sum += pressure[row][column] * velocity[row][column];
    return sum;
}

static void normalise(double length)
{
    for (int row = 0; row < CELLS; row++)
        weights[row] = weights[row] / length;
}

static double norm(void)
{
    double sum = 0;
    for (int row = 0; row < CELLS; row++)
        sum += weights[row] * weights[row];
    return sqrt(sum);
}

static void reorder(void)
{
    for (int row = 0; row < CELLS; row++)
        weights[row] += velocity[0][order[row]];
}

static void clip(double most)
{
    for (int row = 0; row < CELLS; row++)
        if (weights[row] > most)
            weights[row] = most;
}

static void edges(void)
{
    for (int row = 0; row < CELLS; row++)
        pressure[row][0] = 0;
    for (int row = 0; row < CELLS; row++)
        pressure[row][CELLS - 1] = 0;
    for (int column = 0; column < CELLS; column++)
        pressure[0][column] = 0;
    for (int column = 0; column < CELLS; column++)
        pressure[CELLS - 1][column] = 0;
}

int main(void)
{
    set_grid(1);
    for (int step = 0; step < STEPS; step++) {
        add_sources(0.5);
        relax();
        edges();
        normalise(norm());
        reorder();
        clip(residual());
    }
    return weights[0] > 0;
}
