"""Sizes worth asking a user for: those that are open, and how much of the time each decides."""
