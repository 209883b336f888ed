"""Fusion and fission: two loops become one, one becomes two.

K. Kennedy, K. McKinley: Maximizing loop parallelism and improving data locality via loop fusion
and distribution. LCPC 1993.
"""

from contextlib import suppress

from msgspec.structs import replace

from rooflint.facts.dependences import Dependence, places_of
from rooflint.ir import Function, Loop, Poly
from rooflint.transform.nest.legality import (
    is_read_behind,
    of_nest,
    require_reorderable,
    require_stated,
    vector_text,
)
from rooflint.transform.nest.rewrite import definitions_at, substitute_indices
from rooflint.transform.nest.scalars import (
    assigned_scalars,
    exposed_scalars,
    read_scalars,
    scalars_of,
)
from rooflint.transform.nest.tree import Nodes, Path, around, free_site, replace_nodes
from rooflint.transform.result import ChangedFunction, RefusalError, change, done


@change
def fuse(function: Function, loop: str) -> ChangedFunction:
    """The loop and the one right behind it as one; nests of equal headers fuse all the way down.

    Refused where an iteration would use what a later one of the other body has made or destroys.
    """
    site = free_site(function, loop)
    siblings = around(function, site.path)
    position = next(k for k, node in enumerate(siblings) if node is site.loop)
    second = siblings[position + 1] if position + 1 < len(siblings) else None
    if not isinstance(second, Loop):
        raise RefusalError(f"no loop directly follows {loop}")
    require_reorderable((site.loop, second), "one of the loops")
    require_stated(function, site)
    require_stated(function, site._replace(loop=second))
    fused, one, two = _joined(site.loop, second)
    _require_separate_scalars(one, two)
    # the places of the first body come before those of the second in both lists
    count = len(list(places_of(one)))
    found = of_nest(function, (fused,), site.outer)
    for dependence in found.found:
        _require_fusible(dependence, count)
    new = replace_nodes(function, site.path, fused, count=2)
    return done(new, "fuse", loop, assumes=found.assumes)


def _require_fusible(dependence: Dependence, count: int) -> None:
    """Raises RefusalError where the second body needs more than the first has made by then.
    ``count``: places of the first body."""
    if dependence.source >= count > dependence.sink and dependence.level is not None:
        raise RefusalError(f"the second loop needs all of the first: {vector_text(dependence)}")
    crosses = (dependence.source < count) != (dependence.sink < count)
    if crosses and dependence.reason and dependence.vector[0] == "*":
        raise RefusalError(f"cannot distinguish the loops: {vector_text(dependence)}")


def _joined(first: Loop, second: Loop) -> tuple[Loop, Nodes, Nodes]:
    index = {second.index: Poly.symbol(first.index)}
    body = substitute_indices(second.body, index)
    made = (*first.definitions, *definitions_at(second.definitions, index))
    same = (first.lower, first.upper, first.step) == (second.lower, second.upper, second.step)
    if not same:
        raise RefusalError(f"{first.index} and {second.index} do not run over the same range")
    if len(first.body) == len(body) == 1:
        inner, other = first.body[0], body[0]
        if isinstance(inner, Loop) and isinstance(other, Loop):
            with suppress(RefusalError):
                loop, one, two = _joined(inner, other)
                return replace(first, body=(loop,), definitions=made), one, two
    fused = replace(first, body=(*first.body, *body), definitions=made)
    return fused, first.body, body


def _require_separate_scalars(one: Nodes, two: Nodes) -> None:
    first, second = scalars_of(one), scalars_of(two)
    for name, scalar in first.items():
        if scalar.role != "private" and (name in read_scalars(two) or name in second):
            raise RefusalError(f"{name} is complete only after the first loop")
        if scalar.role == "private" and name in exposed_scalars(two):
            raise RefusalError(f"the second loop reads the last {name} of the first")
    for name in second:
        if name in exposed_scalars(one):
            raise RefusalError(f"{name} changes in the second loop, and the first reads it")


@change
def fission(function: Function, loop: str, at: int) -> ChangedFunction:
    """The loop as two: the first ``at`` nodes of its body in one, the rest in another.

    Refused where the first part needs what the second makes, or scalars lead from one to the other.
    """
    site = free_site(function, loop)
    own = site.loop
    one, two = own.body[:at], own.body[at:]
    if not one or not two:
        raise RefusalError(f"{loop} cannot be cut at {at} of {len(own.body)}")
    require_reorderable((own,), "the loop")
    require_stated(function, site)
    _require_cut(function, site.path, one, two)
    count = len(list(places_of(one)))
    found = of_nest(function, (own,), site.outer)
    for dependence in found.found:
        crosses = (dependence.source < count) != (dependence.sink < count)
        unknown = "*" in dependence.vector[:1]
        if crosses and (dependence.source >= count or unknown):
            raise RefusalError(f"the first part needs the second: {vector_text(dependence)}")
    first, second = replace(own, body=one), replace(own, body=two)
    new = replace_nodes(function, site.path, first, second)
    return done(new, "fission", loop, assumes=found.assumes, at=at)


def _require_cut(function: Function, path: Path, one: Nodes, two: Nodes) -> None:
    first, second = assigned_scalars(one), assigned_scalars(two)
    for name in first:
        if name in exposed_scalars(two):
            raise RefusalError(
                f"{name} carries a value from the first part to the second: expand it first"
            )
        if name in second and is_read_behind(function, path, (name,)):
            raise RefusalError(f"{name} is set in both parts and used after the loop")
    for name in second:
        if name in exposed_scalars(one):
            raise RefusalError(f"{name} carries a value from the second part to the first")
