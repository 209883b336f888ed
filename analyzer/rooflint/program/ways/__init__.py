"""Ways through a program that some of its runs take, and times in the mean of all runs."""
