"""Two versions of a function: equal results first, then time before over time after."""
