"""Changes of a nest, each with its test of legality: a new function, or why not.

Every change takes a function, the name of a loop (``tree.sites``) and its own arguments, and
answers with a ``Transformed`` or a ``Refused``.
"""

from rooflint.transform.bodies import fission, fuse
from rooflint.transform.expand import expand_scalar, in_register
from rooflint.transform.jam import unroll_and_jam
from rooflint.transform.order import interchange
from rooflint.transform.peeling import peel, unswitch
from rooflint.transform.result import Refused, Result, Step, Transformed
from rooflint.transform.strips import strip_mine, tile
from rooflint.transform.tree import Site, name_of, sites
from rooflint.transform.unrolling import unroll

__all__ = [
    "Refused",
    "Result",
    "Site",
    "Step",
    "Transformed",
    "expand_scalar",
    "fission",
    "fuse",
    "in_register",
    "interchange",
    "name_of",
    "peel",
    "sites",
    "strip_mine",
    "tile",
    "unroll",
    "unroll_and_jam",
    "unswitch",
]
