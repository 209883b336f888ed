"""Control flow of the source: graphs of bodies with jumps, and calls that never return."""
