"""A function at all requested points: one after another, with the models beside them."""
