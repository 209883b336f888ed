"""Unroll and jam: copies of an outer iteration share one inner loop.

S. Carr, K. Kennedy: Improving the ratio of memory operations to floating-point operations in
loops. TOPLAS 16(6), 1994.
"""

from msgspec.structs import replace

from rooflint.facts.dependences import Dependence, places_of
from rooflint.ir import Function, Loop, Node, Poly
from rooflint.transform.nest.legality import (
    forward,
    is_read_behind,
    obstacle,
    of_nest,
    out_of_sight,
    vector_text,
)
from rooflint.transform.nest.rewrite import OpenTextError, fresh, renamed, substituted
from rooflint.transform.nest.scalars import Scalar, scalars_of
from rooflint.transform.nest.tree import Nodes, free_site, replaced
from rooflint.transform.result import Refused, Result, done
from rooflint.transform.unrolling import split_loop


def unroll_and_jam(function: Function, loop: str, factor: int) -> Result:
    """``factor`` iterations of the outer loop at once, their inner loops run as one.

    The loop holds one loop, perhaps with straight code before and behind it. Scalars that an
    iteration sets anew get a name per copy; others must not be set.
    """
    site = free_site(function, loop)
    if isinstance(site, Refused):
        return site
    own = site.loop
    inner = [k for k, node in enumerate(own.body) if isinstance(node, Loop)]
    if factor < 2 or not own.step.value or len(inner) != 1:
        return Refused(f"{loop} does not hold one loop to jam {factor} copies of")
    [place] = inner
    core = own.body[place]
    assert isinstance(core, Loop)
    why = obstacle((own,))
    if why:
        return Refused(f"the nest {why}")
    if own.index in core.lower.mentions() | core.upper.mentions() | core.step.mentions():
        return Refused(f"the bounds of {core.index} depend on {own.index}")
    scalars = scalars_of(own.body)
    why = out_of_sight(function, site) or _scalars(function, site.path, scalars)
    if why:
        return Refused(why)
    found = of_nest(function, (own,), site.outer)
    counts = (len(list(places_of(own.body[:place]))), len(list(places_of(own.body[: place + 1]))))
    for dependence in found.found:
        if _reversed(dependence, counts, factor):
            return Refused(f"copies side by side reverse {vector_text(dependence)}")
    try:
        body = _jammed(function, own, place, factor, scalars)
    except OpenTextError as error:
        return Refused(f"'{error}' is not in closed form")
    main, rest = split_loop(own, factor)
    tail: Nodes = () if rest is None else (rest,)
    new = replaced(function, site.path, replace(main, body=body), *tail)
    return done(new, "unroll_and_jam", loop, assumes=found.assumes, factor=factor)


def _scalars(function: Function, path: tuple[int, ...], scalars: dict[str, Scalar]) -> str:
    for scalar in scalars.values():
        if scalar.role != "private":
            return f"{scalar.name} goes from one outer iteration to the next"
    read = is_read_behind(function, path, scalars)
    return f"{read} is used after the loop" if read else ""


def _reversed(dependence: Dependence, counts: tuple[int, int], factor: int) -> bool:
    """Whether two copies of one jammed iteration may meet in the wrong order."""
    if not dependence.vector:
        return True
    distance, *rest = dependence.vector
    if distance == 0 or (isinstance(distance, int) and distance >= factor):
        return False
    parts = [sum(n >= count for count in counts) for n in (dependence.source, dependence.sink)]
    if parts[0] != parts[1]:
        return parts[0] > parts[1] or distance == "*"
    if parts[0] != 1:
        return distance == "*"
    # at one inner iteration the copies still come in their order
    return distance == "*" or not (not rest or forward(rest[0]))


def _jammed(
    function: Function, own: Loop, place: int, factor: int, scalars: dict[str, Scalar]
) -> Nodes:
    core = own.body[place]
    assert isinstance(core, Loop)
    before: list[Node] = []
    inside: list[Node] = []
    behind: list[Node] = []
    index = Poly.symbol(own.index)
    taken: list[str] = []
    for number in range(factor):
        names: dict[str, str] = {}
        for name in scalars if number else ():
            names[name] = fresh(function, f"{name}_{number}", taken)
            taken.append(names[name])
        moved = {own.index: index + own.step * number} if number else {}
        copy = renamed(substituted(own.body, moved), names)
        own_core = copy[place]
        assert isinstance(own_core, Loop)
        before += copy[:place]
        inside += own_core.body
        behind += copy[place + 1 :]
    return (*before, replace(core, body=tuple(inside)), *behind)
