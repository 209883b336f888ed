"""Loop nests as procedures: which loops are cut into pages, what moves, which class is fastest."""
