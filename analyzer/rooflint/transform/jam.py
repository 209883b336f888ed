"""Unroll and jam: copies of an outer iteration share one inner loop.

S. Carr, K. Kennedy: Improving the ratio of memory operations to floating-point operations in
loops. TOPLAS 16(6), 1994.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from rooflint.facts.dependences import Dependence, places_of
from rooflint.ir import Definition, Function, Loop, Node, Poly
from rooflint.ir.definitions import lasting_integers
from rooflint.transform.nest import legality
from rooflint.transform.nest.rewrite import fresh, rename_scalars, substitute_indices
from rooflint.transform.nest.scalars import Scalar, scalars_of
from rooflint.transform.nest.tree import Nodes, Site, free_site, replace_nodes
from rooflint.transform.result import ChangedFunction, RefusalError, change, done
from rooflint.transform.unrolling import split_loop


@change
def unroll_and_jam(function: Function, loop: str, factor: int) -> ChangedFunction:
    """``factor`` iterations of the outer loop at once, their inner loops run as one.

    The loop holds one loop, perhaps with straight code before and behind it. Scalars that an
    iteration sets anew get a name per copy; others must not be set.
    """
    site = free_site(function, loop)
    own = site.loop
    place, core = _inner_loop(own, loop, factor)
    legality.require_reorderable((own,), "the nest")
    if own.index in core.lower.mentions() | core.upper.mentions() | core.step.mentions():
        raise RefusalError(f"the bounds of {core.index} depend on {own.index}")
    scalars = scalars_of(own.body)
    legality.require_stated(function, site)
    _require_private(function, site, scalars)
    found = legality.of_nest(function, (own,), site.outer)
    counts = (len(list(places_of(own.body[:place]))), len(list(places_of(own.body[: place + 1]))))
    for dependence in found.found:
        if _reversed(dependence, counts, factor):
            raise RefusalError(f"copies side by side reverse {legality.vector_text(dependence)}")
    body = _jammed(function, own, place, factor, scalars)
    main, rest = split_loop(own, factor)
    tail: Nodes = () if rest is None else (rest,)
    new = replace_nodes(function, site.path, replace(main, body=body), *tail)
    return done(new, "unroll_and_jam", loop, assumes=found.assumes, factor=factor)


def _inner_loop(own: Loop, loop: str, factor: int) -> tuple[int, Loop]:
    inner = [(place, node) for place, node in enumerate(own.body) if isinstance(node, Loop)]
    if factor < 2 or not own.step.value or len(inner) != 1:
        raise RefusalError(f"{loop} does not hold one loop to jam {factor} copies of")
    return inner[0]


def _require_private(function: Function, site: Site, scalars: Mapping[str, Scalar]) -> None:
    integers = lasting_integers((site.loop,))
    for scalar in scalars.values():
        if scalar.role != "private":
            raise RefusalError(
                f"{scalar.name} carries a value from one outer iteration to the next"
            )
    read = legality.is_read_behind(function, site.path, [*scalars, *integers])
    if read:
        raise RefusalError(f"{read} is used after the loop")


def _reversed(dependence: Dependence, counts: tuple[int, int], factor: int) -> bool:
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
    return distance == "*" or not (not rest or legality.forward(rest[0]))


def _jammed(
    function: Function, own: Loop, place: int, factor: int, scalars: dict[str, Scalar]
) -> Nodes:
    core = own.body[place]
    assert isinstance(core, Loop)
    before: list[Node] = []
    inside: list[Node] = []
    made: list[Definition] = []
    behind: list[Node] = []
    index = Poly.symbol(own.index)
    taken: list[str] = []
    for number in range(factor):
        names: dict[str, str] = {}
        for name in scalars if number else ():
            names[name] = fresh(function, f"{name}_{number}", taken)
            taken.append(names[name])
        moved = {own.index: index + own.step * number} if number else {}
        copy = rename_scalars(substitute_indices(own.body, moved), names)
        own_core = copy[place]
        assert isinstance(own_core, Loop)
        before += copy[:place]
        inside += own_core.body
        made += own_core.definitions
        behind += copy[place + 1 :]
    jammed = replace(core, body=tuple(inside), definitions=tuple(made))
    return (*before, jammed, *behind)
