"""Fusion and fission: two loops become one, one becomes two.

K. Kennedy, K. McKinley: Maximizing loop parallelism and improving data locality via loop fusion
and distribution. LCPC 1993.
"""

from msgspec.structs import replace

from rooflint.facts.dependences import places_of
from rooflint.ir import Function, Loop, Poly
from rooflint.transform.nest.legality import (
    is_read_behind,
    obstacle,
    of_nest,
    out_of_sight,
    vector_text,
)
from rooflint.transform.nest.rewrite import OpenTextError, substituted
from rooflint.transform.nest.scalars import assigned, exposed, read, scalars_of
from rooflint.transform.nest.tree import Nodes, around, free_site, replaced
from rooflint.transform.result import Refused, Result, done


def fuse(function: Function, loop: str) -> Result:
    """The loop and the one right behind it as one; nests of equal headers fuse all the way down.

    Refused where an iteration would use what a later one of the other body has made or destroys.
    """
    site = free_site(function, loop)
    if isinstance(site, Refused):
        return site
    siblings = around(function, site.path)
    position = next(k for k, node in enumerate(siblings) if node is site.loop)
    second = siblings[position + 1] if position + 1 < len(siblings) else None
    if not isinstance(second, Loop):
        return Refused(f"no loop stands right behind {loop}")
    why = obstacle((site.loop, second))
    if why:
        return Refused(f"one of the loops {why}")
    why = out_of_sight(function, site) or out_of_sight(function, site._replace(loop=second))
    if why:
        return Refused(why)
    made = _joined(site.loop, second)
    if isinstance(made, Refused):
        return made
    fused, one, two = made
    why = _scalars(one, two)
    if why:
        return Refused(why)
    # the places of the first body come before those of the second in both lists
    count = len(list(places_of(one)))
    found = of_nest(function, (fused,), site.outer)
    for dependence in found.found:
        if dependence.source >= count > dependence.sink and dependence.level is not None:
            return Refused(f"the second loop needs all of the first: {vector_text(dependence)}")
        if dependence.reason and dependence.vector[0] == "*":
            crosses = (dependence.source < count) != (dependence.sink < count)
            if crosses:
                return Refused(f"cannot tell the loops apart: {vector_text(dependence)}")
    new = replaced(function, site.path, fused, count=2)
    return done(new, "fuse", loop, assumes=found.assumes)


def _joined(first: Loop, second: Loop) -> tuple[Loop, Nodes, Nodes] | Refused:
    """The fused loop, and the two bodies inside its innermost common header."""
    try:
        body = substituted(second.body, {second.index: Poly.symbol(first.index)})
    except OpenTextError as error:
        return Refused(f"'{error}' is not in closed form")
    same = (first.lower, first.upper, first.step) == (second.lower, second.upper, second.step)
    if not same:
        return Refused(f"{first.index} and {second.index} do not run over the same range")
    if len(first.body) == len(body) == 1:
        inner, other = first.body[0], body[0]
        if isinstance(inner, Loop) and isinstance(other, Loop):
            deeper = _joined(inner, other)
            if not isinstance(deeper, Refused):
                loop, one, two = deeper
                return replace(first, body=(loop,)), one, two
    return replace(first, body=(*first.body, *body)), first.body, body


def _scalars(one: Nodes, two: Nodes) -> str:
    """Why scalars forbid the fusion of two bodies; empty when they do not."""
    first, second = scalars_of(one), scalars_of(two)
    for name, scalar in first.items():
        if scalar.role != "private" and (name in read(two) or name in second):
            return f"{name} is complete only after the first loop"
        if scalar.role == "private" and name in exposed(two):
            return f"the second loop reads the last {name} of the first"
    for name in second:
        if name in exposed(one):
            return f"{name} changes in the second loop, and the first reads it"
    return ""


def fission(function: Function, loop: str, at: int) -> Result:
    """The loop as two: the first ``at`` nodes of its body in one, the rest in another.

    Refused where the first part needs what the second makes, or scalars lead from one to the other.
    """
    site = free_site(function, loop)
    if isinstance(site, Refused):
        return site
    own = site.loop
    one, two = own.body[:at], own.body[at:]
    if not one or not two:
        return Refused(f"{loop} cannot be cut at {at} of {len(own.body)}")
    why = obstacle((own,))
    if why:
        return Refused(f"the loop {why}")
    why = out_of_sight(function, site)
    if why:
        return Refused(why)
    why = _shared(function, site.path, one, two)
    if why:
        return Refused(why)
    count = len(list(places_of(one)))
    found = of_nest(function, (own,), site.outer)
    for dependence in found.found:
        crosses = (dependence.source < count) != (dependence.sink < count)
        unknown = "*" in dependence.vector[:1]
        if crosses and (dependence.source >= count or unknown):
            return Refused(f"the first part needs the second: {vector_text(dependence)}")
    first, second = replace(own, body=one), replace(own, body=two)
    new = replaced(function, site.path, first, second)
    return done(new, "fission", loop, assumes=found.assumes, at=at)


def _shared(function: Function, path: tuple[int, ...], one: Nodes, two: Nodes) -> str:
    first, second = assigned(one), assigned(two)
    for name in first:
        if name in exposed(two):
            return f"{name} goes from the first part to the second: expand it first"
        if name in second and is_read_behind(function, path, (name,)):
            return f"{name} is set in both parts and used after the loop"
    for name in second:
        if name in exposed(one):
            return f"{name} goes from the second part to the first"
    return ""
