"""libclang behind typed calls: translation units, headers, and cursors as trees."""
