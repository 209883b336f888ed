"""The functions of a program, and those that its calls may run."""
