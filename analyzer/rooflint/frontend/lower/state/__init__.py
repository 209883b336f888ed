"""What is known of a function while it is lowered: names, types, values of integers."""
