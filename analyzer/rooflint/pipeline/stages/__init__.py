"""Stages of a run: all files are read, the program is solved, each file is analysed."""
