"""Functions of the C library and builtins of compilers: the cycles of a call."""
