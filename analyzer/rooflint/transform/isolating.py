"""A loop among other nodes of a body gets an outer loop of its own, and may change places with it.

Column sums and products written with a scalar between the headers need this before an interchange:
expand the scalar, cut the loop before and behind, swap.
"""

from rooflint.ir import Function, Loop
from rooflint.transform.bodies import fission
from rooflint.transform.expand import expand_scalar
from rooflint.transform.nest.scalars import assigned, exposed, scalars_of
from rooflint.transform.nest.tree import Path, free_site, sites
from rooflint.transform.order import interchange
from rooflint.transform.result import Refused, Result, Transformed


def isolate(function: Function, loop: str, at: int) -> Result:
    """Node ``at`` of the loop's body alone in a copy of the loop, with the steps that takes."""
    return _isolated(function, loop, at)[0]


def swap_inner(function: Function, loop: str, at: int) -> Result:
    """The loop and the one at place ``at`` of its body change places, the rest cut off before."""
    result, path = _isolated(function, loop, at)
    if isinstance(result, Refused):
        return result
    name = next(n for n, site in sites(result.function).items() if site.path == path)
    own = sites(result.function)[name].loop
    inner = own.body[0]
    if not isinstance(inner, Loop):
        return Refused(f"no loop stands at {at} in {loop}")
    order = (inner.index, own.index)
    return result.then(lambda f: interchange(f, name, order))


def _isolated(function: Function, loop: str, at: int) -> tuple[Result, Path]:
    site = free_site(function, loop)
    if isinstance(site, Refused):
        return site, ()
    body = site.loop.body
    if not 0 <= at < len(body):
        return Refused(f"{loop} holds {len(body)} nodes, none at {at}"), ()
    result: Result = Transformed(function, ())
    for scalar in crossing(site.loop, at):
        assert isinstance(result, Transformed)
        result = result.then(lambda f, s=scalar: expand_scalar(f, loop, s))  # type: ignore[misc]
        if isinstance(result, Refused):
            return result, ()
    assert isinstance(result, Transformed)
    path = site.path
    if at:
        result = result.then(lambda f: fission(f, loop, at))
        path = (*path[:-1], path[-1] + 1)
    if at + 1 < len(body) and isinstance(result, Transformed):
        result = result.then(
            lambda f: fission(f, next(n for n, s in sites(f).items() if s.path == path), 1)
        )
    return result, path


def crossing(loop: Loop, at: int) -> list[str]:
    """The scalars that an iteration sets on one side of a cut and reads on another."""
    private = [s.name for s in scalars_of(loop.body).values() if s.role == "private"]
    parts = [part for part in (loop.body[:at], loop.body[at : at + 1], loop.body[at + 1 :]) if part]
    return [
        name
        for name in private
        if any(
            name in assigned(part) and any(name in exposed(later) for later in parts[number + 1 :])
            for number, part in enumerate(parts)
        )
    ]
