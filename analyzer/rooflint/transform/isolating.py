"""A loop among other nodes of a body gets an outer loop of its own, and may change places with it.

Column sums and products written with a scalar between the headers need this before an interchange:
expand the scalar, cut the loop before and behind, swap.
"""

from functools import partial

from rooflint.ir import Function, Loop
from rooflint.transform.bodies import fission
from rooflint.transform.expand import expand_scalar, sum_in_place
from rooflint.transform.nest.scalars import assigned_scalars, exposed_scalars, scalars_of
from rooflint.transform.nest.tree import Path, free_site, sites
from rooflint.transform.order import interchange
from rooflint.transform.result import ChangedFunction, RefusalError, Result, accept_change, change


@change
def isolate(function: Function, loop: str, at: int) -> ChangedFunction:
    """Node ``at`` of the loop's body alone in a copy of the loop, with the steps that takes."""
    return _isolated(function, loop, at)[0]


@change
def swap_inner(function: Function, loop: str, at: int) -> ChangedFunction:
    """The loop and the one at place ``at`` of its body change places, the rest cut off before."""
    result, path = _isolated(function, loop, at)
    name = _name_at(result.function, path)
    own = sites(result.function)[name].loop
    inner = own.body[0]
    if not isinstance(inner, Loop):
        raise RefusalError(f"{loop} contains no loop at {at}")
    order = (inner.index, own.index)
    return accept_change(result.then(lambda f: interchange(f, name, order)))


def _isolated(function: Function, loop: str, at: int) -> tuple[ChangedFunction, Path]:
    site = free_site(function, loop)
    if not 0 <= at < len(site.loop.body):
        raise RefusalError(f"{loop} holds {len(site.loop.body)} nodes, none at {at}")
    result = ChangedFunction(function, ())
    for scalar in crossing(site.loop, at):
        result = accept_change(_in_memory(result, loop, scalar))
    left = len(sites(result.function)[loop].loop.body)
    path = site.path
    if at:
        result = accept_change(result.then(lambda f: fission(f, loop, at)))
        path = (*path[:-1], path[-1] + 1)
    if at + 1 < left:
        result = accept_change(result.then(lambda f: fission(f, _name_at(f, path), 1)))
    return result, path


def _in_memory(result: ChangedFunction, loop: str, scalar: str) -> Result:
    """The scalar with a place in memory for each iteration: where it goes, else in a new array."""
    in_place = result.then(partial(sum_in_place, loop=loop, scalar=scalar))
    if isinstance(in_place, ChangedFunction):
        return in_place
    return result.then(partial(expand_scalar, loop=loop, scalar=scalar))


def _name_at(function: Function, path: Path) -> str:
    return next(name for name, site in sites(function).items() if site.path == path)


def crossing(loop: Loop, at: int) -> list[str]:
    """The scalars that an iteration sets on one side of a cut and reads on another."""
    private = [s.name for s in scalars_of(loop.body).values() if s.role == "private"]
    parts = [part for part in (loop.body[:at], loop.body[at : at + 1], loop.body[at + 1 :]) if part]
    return [
        name
        for name in private
        if any(
            name in assigned_scalars(part)
            and any(name in exposed_scalars(later) for later in parts[number + 1 :])
            for number, part in enumerate(parts)
        )
    ]
