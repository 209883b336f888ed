"""Changes of a nest, each with its test of legality: a new function, or why not.

Every change takes a function, the name of a loop (``tree.sites``; changes of data take none) and
its own arguments, and answers with a ``ChangedFunction`` or a ``ChangeRefusal``.
"""
