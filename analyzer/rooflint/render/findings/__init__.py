"""Findings of the lint, in the formats of the tools that show them.

Each format is a module of its own, loaded when it is asked for.
"""
