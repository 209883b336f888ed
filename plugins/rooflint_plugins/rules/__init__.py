"""Lint rules, one module and one page each; the first arrive with the lint."""
