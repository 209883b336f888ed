"""A measurement held against the models: predictions at the same point, ratios, suspects."""
