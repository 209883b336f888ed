"""Records as named tuples that cost little to define."""

from rooflint.records.named_tuple import NamedTuple

__all__ = ["NamedTuple"]
