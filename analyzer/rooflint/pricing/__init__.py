"""Prices of changes of a nest: the models run before and after them."""
