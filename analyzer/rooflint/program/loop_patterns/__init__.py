"""Loops whose equations show a pattern that tells how often they run."""
