"""Equations of a file: its assignments, arguments, returns and loop bounds over integers."""
