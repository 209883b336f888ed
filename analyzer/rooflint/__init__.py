"""Rooflint reports, per loop of C and C++ source, what limits it and how fast it could be."""

__version__ = "0.1.0"
