"""State of a function while it is lowered: names, types, values of integers."""
