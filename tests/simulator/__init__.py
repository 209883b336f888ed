"""The oracle of the memory tests: address traces of the IR through exact LRU caches.

Simulates every access, so it is for tests and benchmarks only; the product never iterates.
"""

from . import cachegrind, conditions
from .lru import Hierarchy, Level, LevelCounts, simulate, stack_distances
from .plan import Policy, Stride, Walk
from .trace import Layout, Pass, Touch, lay_out, line_passes, owner_of, touches, walks

__all__ = [
    "Hierarchy",
    "Layout",
    "Level",
    "LevelCounts",
    "Pass",
    "Policy",
    "Stride",
    "Touch",
    "Walk",
    "cachegrind",
    "conditions",
    "lay_out",
    "line_passes",
    "owner_of",
    "simulate",
    "stack_distances",
    "touches",
    "walks",
]
