"""Edits of source files: positions, replacements, and nests written as C."""
