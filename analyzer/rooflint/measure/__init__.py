"""Measurements: a function or a nest built by itself, run, and held against the models."""
