/* Heat spreads over a plate until a step changes little. */
#include <stdio.h>

#include "plate.h"

int main(void)
{
    double left = 1.0;
    start();
    for (int n = 0; n < 50 && left > 1e-3; n++) {
        step(0.2);
        left = change();
        accept();
    }
    printf("%.6g\n", left);
    return 0;
}
