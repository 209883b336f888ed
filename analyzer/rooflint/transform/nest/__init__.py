"""Loops of a function addressed, rebuilt and tested for legal changes."""
