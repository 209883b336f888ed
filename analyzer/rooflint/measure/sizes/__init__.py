"""Sizes at which a loop is measured: by the level that shall hold its data, or a sweep."""
