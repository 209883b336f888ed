"""A second source for a core's cycles: a compiler's assembly of a loop, read by an analyser.

Used only where the user asks for it, because it runs a compiler. Nothing that was compiled is run.
"""
