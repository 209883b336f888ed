"""Loops of every form as loops of the IR: headers, trip counts, pragmas."""
