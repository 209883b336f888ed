"""What the lint found, in the formats of the tools that show findings.

Each format is a module of its own, loaded when it is asked for.
"""
