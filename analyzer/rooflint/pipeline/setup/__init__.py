"""Machines, models, compilers, cores and sizes with which a file is analysed."""
