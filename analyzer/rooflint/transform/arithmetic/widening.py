"""Subscripts in 64 bits, in place of sums of 32 that may wrap."""

from msgspec.structs import replace

from rooflint.ir import Function
from rooflint.transform.nest.tree import replace_nodes, site_of
from rooflint.transform.result import ChangedFunction, RefusalError, change, done


@change
def widen_subscripts(function: Function, loop: str) -> ChangedFunction:
    """The loop with subscripts that do not wrap: right where none of them did."""
    site = site_of(function, loop)
    wrapping = site.loop.wrapping
    if not wrapping:
        raise RefusalError(f"no subscript of {loop} may wrap")
    new = replace_nodes(function, site.path, replace(site.loop, wrapping=()))
    assumes = [f"subscripts of {name} stay below 2^32" for name in wrapping]
    return done(new, "widen_subscripts", loop, assumes=tuple(assumes))
