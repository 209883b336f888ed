"""Measurements beside predictions: ``rooflint measure`` as text, JSON and one HTML page."""
