"""Performance models, one module or small package each, independent of each other."""
