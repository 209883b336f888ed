"""Solutions of a program that move with the lines of its files: code elsewhere solves nothing."""
