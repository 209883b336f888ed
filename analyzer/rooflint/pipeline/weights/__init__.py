"""The weights of a program in the reports of its files, and findings by what they save of it."""
