"""Questions that several changes ask before they reorder a nest."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from rooflint.dependence import Assumption, NoOverlap, memory_of, references_in, unproven
from rooflint.facts.dependences import Dependence, NestDependences, dependences_of
from rooflint.facts.directions import Component, index_constraints
from rooflint.facts.systems import LinearForms, NotLinearError, is_feasible
from rooflint.ir import (
    Call,
    Exit,
    Function,
    Loop,
    Node,
    Opaque,
    Poly,
    Region,
    walk,
)
from rooflint.ir.definitions import (
    changed_integers,
    definitions_in,
    integers_read,
    lasting_integers,
    own_integers,
)
from rooflint.ir.identity import kept_with_part
from rooflint.ir.terms import Form
from rooflint.transform.nest.rewrite import statements_in
from rooflint.transform.nest.scalars import Scalar, assigned_scalars, exposed_scalars, scalars_of
from rooflint.transform.nest.tree import Nodes, Path, Site, nodes_behind
from rooflint.transform.result import RefusalError

LEAVE_ALL: Final = frozenset(("continue", "return", "goto"))
"""Exits that do the same from a loop within a loop."""


def reordering_blocker(nodes: Iterable[Node]) -> str:
    """The reason against any reordering of ``nodes``; empty if there is none."""
    nodes = tuple(nodes)
    for node in walk(nodes):
        blocker = _blocker(node)
        if blocker:
            return blocker
    opaque = [v.reason for s in statements_in(nodes) for v in s.values if v.op == "opaque"]
    return f"contains code that is not modelled: {opaque[0]}" if opaque else ""


def _blocker(node: Node) -> str:
    if isinstance(node, Call) and node.effects != "none":
        return f"calls {node.name}, whose effects are unknown"
    if isinstance(node, Opaque):
        return f"contains code that is not modelled: {node.reason}"
    if isinstance(node, Exit):
        return f"can be left by {node.kind}"
    if isinstance(node, Loop) and node.exits:
        return f"can be left by {node.exits[0]}"
    return f"contains an OpenMP directive: {node.kind}" if isinstance(node, Region) else ""


def require_reorderable(nodes: Iterable[Node], subject: str) -> None:
    """Raises RefusalError where nodes, which ``subject`` names, keep their order."""
    blocker = reordering_blocker(nodes)
    if blocker:
        raise RefusalError(f"{subject} {blocker}")


def breaks_off(loop: Loop) -> str:
    """The exit that ends the loop, but would end only a block of it; empty if there is none."""
    return next((way for way in loop.exits if way not in LEAVE_ALL), "")


def of_nest(function: Function, nodes: Nodes, outer: tuple[Loop, ...]) -> NestDependences:
    """The dependences among ``nodes`` within one iteration of the loops around them."""
    return dependences_of(nodes, memory_of(function), outer)


def kept_apart(function: Function, loop: Loop, moved: Nodes) -> tuple[Assumption, ...]:
    """Assumptions under which no store in ``loop`` changes a value that ``moved`` nodes read."""
    memory = memory_of(function)
    written = references_in((loop,), memory).written
    return unproven(written, references_in(moved, memory).used, memory)


def held_in_register(function: Function, loop: Loop, array: str) -> tuple[NoOverlap, ...]:
    """Assumptions under which no other access of ``loop`` overlaps an element of ``array``."""
    memory = memory_of(function)
    touched = references_in((loop,), memory)
    own = [reference for reference in touched.used if reference.name == array]
    return unproven(own, touched.used, memory)


def steady(function: Function, loop: Loop) -> tuple[Assumption, ...]:
    """Assumptions under which no store in ``loop`` changes its trip count or an inner one."""
    memory = memory_of(function)
    headers = tuple([replace(node, body=()) for node in walk((loop,)) if isinstance(node, Loop)])
    written = references_in((loop,), memory).written
    return unproven(written, references_in(headers, memory).used, memory)


def is_read_behind(function: Function, path: Path, names: Iterable[str]) -> str:
    """The first of the scalars ``names`` that may be read after the node at ``path``; or empty."""
    wanted = list(names)
    for nodes in nodes_behind(function, path) if wanted else ():
        integers = integers_read(nodes)
        found = (exposed_scalars(nodes), integers.named, integers.unknown)
        for name in wanted:
            if any(name in names for names in found):
                return name
    return ""


def require_stated(function: Function, site: Site) -> None:
    """Raises RefusalError for an integer variable whose values the statements do not tell.

    That is one that the loop changes and an iteration reads before it has a closed form, or one
    that a branch may set last, and code behind the loop reads.
    """
    for name in _unmodelled_integers(function, site.loop):
        raise RefusalError(f"{name} changes in a way that is not modelled")
    changed = changed_integers((site.loop,))
    chosen = [
        name for name, made in changed.items() if any(each.condition != "none" for each in made)
    ]
    read = is_read_behind(function, site.path, chosen)
    if read:
        raise RefusalError(f"{read} may be set in a branch of the loop")


def _unmodelled_integers(function: Function, loop: Loop) -> Iterator[str]:
    """The variables that ``loop`` changes and reads where they have no closed form."""
    loops = [node for node in walk((loop,)) if isinstance(node, Loop)]
    told = _told_integers(function, loop)
    for each in (each for node in loops for each in node.extra_inductions):
        if not each.known and each.name not in told:
            yield each.name
    changed, read = changed_integers((loop,)), integers_read((loop,))
    yield from sorted(read.named.intersection(lasting_integers((loop,))))
    stated = assigned_scalars(loop.body).keys() - own_integers((loop,))
    hidden = {each.variable for each in definitions_in((loop,)) if each.condition == "unstated"}
    yield from sorted(read.unknown & (changed.keys() | stated | hidden))


def _told_integers(function: Function, loop: Loop) -> set[str]:
    """The changed integers of which reads alone decide: all their assignments are closed forms.

    None in a function where a condition reads variables and no node evaluates it.
    """
    if _has_unstated_conditions(function):
        return set()
    changed = changed_integers((loop,))
    stated = assigned_scalars(loop.body)
    return {
        name
        for name in lasting_integers((loop,))
        if name not in stated and all(each.closed_form is not None for each in changed[name])
    }


@kept_with_part
def _has_unstated_conditions(function: Function) -> bool:
    """Whether a condition that no node evaluates decides which definition of an integer runs."""
    everywhere = [*function.definitions, *definitions_in(function.body)]
    return any(each.condition == "unstated" for each in everywhere)


def require_free_order(function: Function, site: Site, body: Nodes) -> bool:
    """Whether sums come out in another order when the iterations do.

    Raises RefusalError where scalars forbid another order.
    """
    require_stated(function, site)
    found = scalars_of(body)
    require_no_recurrence(found.values())
    private = [s.name for s in found.values() if s.role == "private"]
    read = is_read_behind(function, site.path, [*private, *lasting_integers((site.loop,))])
    if read:
        raise RefusalError(f"{read} is used after the loop")
    return any(sums_round(s) for s in found.values() if s.role == "reduction")


def require_no_recurrence(scalars: Iterable[Scalar]) -> None:
    """Raises RefusalError for a scalar that goes from one iteration to the next."""
    for scalar in scalars:
        if scalar.role == "recurrence":
            raise RefusalError(f"{scalar.name} needs its value from the previous iteration")


def sums_round(scalar: Scalar) -> bool:
    """Whether the order of a reduction changes its bits."""
    return scalar.operation in ("add", "mul") and scalar.type[:1] in "fbc" and scalar.type != "bool"


def comes_first(vector: Sequence[Component]) -> bool:
    """Whether ``vector`` surely is not lexicographically negative."""
    for component in vector:
        if component == "<" or (isinstance(component, int) and component > 0):
            return True
        if component != 0:
            return False
    return True


def forward(component: Component) -> bool:
    """Whether a distance surely is not negative."""
    return component == "<" or (isinstance(component, int) and component >= 0)


def vector_text(dependence: Dependence) -> str:
    """``a, distance (1, -1)``."""
    inner = ", ".join(map(str, dependence.vector))
    why = f", {dependence.reason}" if dependence.reason else ""
    return f"{dependence.array}, distance ({inner}){why}"


def may_hold(difference: Poly, operator: str, loops: Sequence[Loop]) -> bool:
    """Whether ``difference operator 0`` cannot be excluded for indices inside ``loops``."""
    linear = LinearForms()
    names = {loop.index: loop.index for loop in loops}
    bounds: list[Form] = []
    grids: list[Form] = []
    for loop in loops:
        lows, grid = index_constraints(loop, names, loop.index, linear)
        bounds += lows
        grids += grid
    try:
        form = linear.form(difference, names)
    except NotLinearError:
        return True
    less = {**{n: -c for n, c in form.items()}, "": -form.get("", 0) - 1}
    more = {**form, "": form.get("", 0) - 1}
    cases: dict[str, list[tuple[list[Form], list[Form]]]] = {
        "<": [([], [less])],
        "<=": [([], [less]), ([form], [])],
        ">": [([], [more])],
        ">=": [([], [more]), ([form], [])],
        "==": [([form], [])],
        "!=": [([], [less]), ([], [more])],
    }
    return any(
        is_feasible([*equal, *grids], [*at_least, *bounds, *linear.constraints])
        for equal, at_least in cases[operator]
    )
