"""Processes that run at once, a core each, and how performance grows with their number."""
