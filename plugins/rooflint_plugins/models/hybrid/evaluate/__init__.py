"""Procedures on a system: the time of every stage, and what would balance it."""
