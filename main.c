#include "zero.h"
int main(void) { return 0; }
