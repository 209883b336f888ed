"""Sizes and trip counts of a run, with the origin of each value."""
