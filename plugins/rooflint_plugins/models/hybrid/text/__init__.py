"""Estimates as people and programs read them: sentences, JSON values, pages and pictures."""
