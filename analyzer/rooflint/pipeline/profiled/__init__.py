"""Profiles of a program's runs in an analysis: counts of its loops, and shares of its time."""
