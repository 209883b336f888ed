"""The start of a command's process: the program's own modules are imported without a search."""
