"""Second and third step of a verdict: changes and limiters of the loops that take time."""
