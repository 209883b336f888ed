"""Questions that several changes ask before they reorder a nest."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from rooflint.dependence import Assumption, NoOverlap, memory_of, references_in, unproven
from rooflint.facts.dependences import Dependence, NestDependences, dependences_of
from rooflint.facts.directions import Component, index_constraints
from rooflint.facts.forms import Form
from rooflint.facts.systems import LinearForms, NotLinearError, is_feasible
from rooflint.ir import (
    Branch,
    Call,
    Exit,
    Function,
    IndexValue,
    Loop,
    Node,
    Opaque,
    Poly,
    Region,
    SourceForm,
    SourceName,
    walk,
)
from rooflint.transform.nest.rewrite import statements_in
from rooflint.transform.nest.scalars import Scalar, exposed_scalars, scalars_of
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
    for nodes in nodes_behind(function, path):
        found = exposed_scalars(nodes)
        for name in wanted:
            if name in found:
                return name
    return ""


def require_stated(function: Function, site: Site) -> None:
    """Raises RefusalError for an integer variable that the loop may change and the IR omits.

    The front end keeps integers in closed form; where a branch sets one, its value is unknown from
    there on, and the assignment is nowhere. Unknown values hint at such a variable.
    """
    nodes = tuple(walk((site.loop,)))
    for name in (*_variables((site.loop,)), *_unmodelled_inductions(nodes)):
        raise RefusalError(f"{name} changes in a way that is not modelled")
    if any(isinstance(node, Branch) for node in nodes):
        for behind in nodes_behind(function, site.path):
            for name in _variables(behind):
                raise RefusalError(f"{name} may be set in a branch of the loop")


def _unmodelled_inductions(nodes: Nodes) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, Loop):
            yield from [each.name for each in node.extra_inductions if not each.known]


def _variables(nodes: Nodes) -> Iterator[str]:
    """The variables without closed form that accesses and integer values consist of."""
    for statement in statements_in(nodes):
        for access in statement.accesses:
            yield from filter(None, [unknown.variable for unknown in access.offset.unknowns()])
        for value in statement.values:
            unknowns = value.poly.unknowns() if isinstance(value, IndexValue) else ()
            yield from filter(None, [_head(unknown.form) for unknown in unknowns])


def _head(form: SourceForm) -> str:
    """The variable that a source text begins with; empty where it is an element or a call."""
    head = form[0]
    return head.name if isinstance(head, SourceName) and head.kind == "variable" else ""


def require_free_order(function: Function, site: Site, body: Nodes) -> bool:
    """Whether sums come out in another order when the iterations do.

    Raises RefusalError where scalars forbid another order.
    """
    require_stated(function, site)
    found = scalars_of(body)
    require_no_recurrence(found.values())
    private = [s.name for s in found.values() if s.role == "private"]
    read = is_read_behind(function, site.path, private)
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
