"""Measurements of the user's store beside the reports of the functions that were measured."""
