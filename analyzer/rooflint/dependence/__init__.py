"""The only place that decides which accesses may touch the same memory.

Facts, core models, transformations and rules ask here; none of them decides for itself.
"""

from rooflint.dependence.alias import (
    Assumption,
    FunctionMemory,
    MemoryReference,
    NoOverlap,
    is_named_only,
    is_private,
    is_unobserved,
    may_overlap,
    memory_of,
    own_object,
    record_place,
    unproven,
)
from rooflint.dependence.touched import references_in, volatile_in

__all__ = [
    "Assumption",
    "FunctionMemory",
    "MemoryReference",
    "NoOverlap",
    "is_named_only",
    "is_private",
    "is_unobserved",
    "may_overlap",
    "memory_of",
    "own_object",
    "record_place",
    "references_in",
    "unproven",
    "volatile_in",
]
