"""Corpora: many functions measured, and how near the models come to them."""
