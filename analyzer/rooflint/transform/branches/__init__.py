"""Branches that the data decide, replaced by straight code."""
