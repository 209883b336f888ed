"""The functions that code calls: by their names, and through pointers."""
