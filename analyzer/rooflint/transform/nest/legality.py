"""Questions that several changes ask before they reorder a nest."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from rooflint.dependence import Assumption, NoOverlap, memory_of, references_in, unproven
from rooflint.facts.dependences import Dependence, Dependences, dependences_of
from rooflint.facts.directions import Component, fences
from rooflint.facts.points import Form
from rooflint.facts.systems import Linear, NotLinearError, possible
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
    walk,
)
from rooflint.transform.nest.rewrite import statements_in
from rooflint.transform.nest.scalars import Scalar, exposed, scalars_of
from rooflint.transform.nest.tree import Nodes, Path, Site, nodes_behind

LEAVE_ALL: Final = frozenset(("continue", "return", "goto"))
"""Exits that do the same from a loop within a loop."""


def obstacle(nodes: Iterable[Node]) -> str:
    """What forbids any reordering of ``nodes``; empty when nothing does."""
    nodes = tuple(nodes)
    for node in walk(nodes):
        if isinstance(node, Call) and node.effects != "none":
            return f"calls {node.name}, whose effects are unknown"
        if isinstance(node, Opaque):
            return f"holds code that is not modelled: {node.reason}"
        if isinstance(node, Exit):
            return f"can be left by {node.kind}"
        if isinstance(node, Loop) and node.exits:
            return f"can be left by {node.exits[0]}"
        if isinstance(node, Region):
            return f"holds an OpenMP directive: {node.kind}"
    for statement in statements_in(nodes):
        for value in statement.values:
            if value.op == "opaque":
                return f"holds code that is not modelled: {value.reason}"
    return ""


def breaks_off(loop: Loop) -> str:
    """What ends the loop at once, and would only end a block of it; empty where nothing does."""
    return next((way for way in loop.exits if way not in LEAVE_ALL), "")


def of_nest(function: Function, nodes: Nodes, outer: tuple[Loop, ...]) -> Dependences:
    """The dependences among ``nodes`` within one iteration of the loops around them."""
    return dependences_of(nodes, memory_of(function), outer)


def kept_apart(function: Function, loop: Loop, moved: Nodes) -> tuple[Assumption, ...]:
    """What holds where nothing that ``loop`` stores to is part of what ``moved`` nodes read."""
    memory = memory_of(function)
    written = references_in((loop,), memory).written
    return unproven(written, references_in(moved, memory).used, memory)


def held_in_register(function: Function, loop: Loop, array: str) -> tuple[NoOverlap, ...]:
    """What holds where nothing else that ``loop`` touches is part of an element of ``array``."""
    memory = memory_of(function)
    touched = references_in((loop,), memory)
    own = [reference for reference in touched.used if reference.name == array]
    return unproven(own, touched.used, memory)


def steady(function: Function, loop: Loop) -> tuple[Assumption, ...]:
    """What holds where no store in ``loop`` changes how often it and those inside it run."""
    memory = memory_of(function)
    headers = tuple([replace(node, body=()) for node in walk((loop,)) if isinstance(node, Loop)])
    written = references_in((loop,), memory).written
    return unproven(written, references_in(headers, memory).used, memory)


def is_read_behind(function: Function, path: Path, names: Iterable[str]) -> str:
    """The first of the scalars ``names`` that may be read after the node at ``path``; or empty."""
    wanted = list(names)
    for nodes in nodes_behind(function, path):
        found = exposed(nodes)
        for name in wanted:
            if name in found:
                return name
    return ""


_VARIABLE = re.compile(r"[A-Za-z_][\w.']*(?![\w\[(>.'-])")
"""A variable without closed form where an index value begins; ``col[j]`` is none."""


def out_of_sight(function: Function, site: Site) -> str:
    """An integer variable whose changes the IR does not state and that the loop may change.

    The front end keeps integers in closed form; where a branch sets one, its value is unknown from
    there on, and the assignment is nowhere. Empty when nothing hints at such a variable.
    """
    inside = _variables((site.loop,))
    loops = [node for node in walk((site.loop,)) if isinstance(node, Loop)]
    inside += [each.name for loop in loops for each in loop.extra_inductions if not each.known]
    if inside:
        return f"{inside[0]} changes in a way that is not modelled"
    if any(isinstance(node, Branch) for node in walk((site.loop,))):
        for nodes in nodes_behind(function, site.path):
            found = _variables(nodes)
            if found:
                return f"{found[0]} may be set in a branch of the loop"
    return ""


def _variables(nodes: Nodes) -> list[str]:
    found: list[str] = []
    for statement in statements_in(nodes):
        for access in statement.accesses:
            texts = [unknown.text.rstrip("@") for unknown in access.offset.unknowns()]
            found += [text for text in texts if text.isidentifier()]
        for value in statement.values:
            unknowns = value.poly.unknowns() if isinstance(value, IndexValue) else ()
            heads = [_VARIABLE.match(unknown.text) for unknown in unknowns]
            found += [head[0] for head in heads if head is not None]
    return found


def reordered_scalars(function: Function, site: Site, body: Nodes) -> tuple[str, bool]:
    """Whether the iterations may run in another order as far as scalars go.

    The obstacle, empty when there is none; and whether sums come out in another order.
    """
    hidden = out_of_sight(function, site)
    if hidden:
        return hidden, False
    found = scalars_of(body)
    for scalar in found.values():
        if scalar.role == "recurrence":
            return f"{scalar.name} needs its value of the iteration before", False
    private = [s.name for s in found.values() if s.role == "private"]
    read = is_read_behind(function, site.path, private)
    if read:
        return f"{read} is used after the loop", False
    return "", any(sums_round(s) for s in found.values() if s.role == "reduction")


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
    linear = Linear()
    names = {loop.index: loop.index for loop in loops}
    bounds: list[Form] = []
    grids: list[Form] = []
    for loop in loops:
        lows, grid = fences(loop, names, loop.index, linear)
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
        possible([*equal, *grids], [*at_least, *bounds, *linear.fences])
        for equal, at_least in cases[operator]
    )
