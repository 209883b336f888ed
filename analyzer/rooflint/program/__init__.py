"""The program around the loops: sizes solved from the equations of all its files."""
