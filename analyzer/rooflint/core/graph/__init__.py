"""The values of one iteration as a graph, and what compilers simplify in it."""
