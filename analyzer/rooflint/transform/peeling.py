"""Peeling and unswitching: iterations or conditions taken out of a loop."""

from functools import partial
from typing import Literal

from msgspec.structs import replace

from rooflint import ir
from rooflint.transform.nest.graph import sets_scalar
from rooflint.transform.nest.legality import kept_apart, may_hold, steady
from rooflint.transform.nest.rewrite import definitions_at, statements_in, substitute_indices
from rooflint.transform.nest.tree import (
    Nodes,
    free_site,
    replace_nodes,
    with_bodies,
    with_definitions,
)
from rooflint.transform.result import ChangedFunction, RefusalError, change, done

Side = Literal["first", "last"]


@change
def peel(function: ir.Function, loop: str, side: Side = "first") -> ChangedFunction:
    """The first or last iteration outside the loop, and conditions decided that now can be.

    Guarded by a condition where the loop may not run at all.
    """
    site = free_site(function, loop)
    own = site.loop
    if own.exits:
        raise RefusalError(f"the loop can be left by {own.exits[0]}")
    if not own.step.value or (side == "last" and abs(own.step.value) != 1):
        raise RefusalError(f"the step of {own.index} is {own.step}")
    if side == "first":
        at, rest = own.lower, replace(own, lower=own.lower + own.step)
    else:
        at, rest = own.upper - own.step, replace(own, upper=own.upper - own.step)
    if at.unknowns():
        raise RefusalError(f"where {own.index} begins and ends is only known at run time")
    copy = substitute_indices(own.body, {own.index: at})
    known = [*site.outer, replace(own, index=f"{own.index}@")]
    copy = decide_branches(copy, known)
    rest = replace(rest, body=decide_branches(own.body, [*site.outer, rest]))
    trips = own.trip_count.value
    peeled: Nodes = copy
    if trips is None or trips < 1:
        peeled = (ir.Branch(condition=_runs(own), then=copy, orelse=(), origin=own.origin),)
    nodes = (*peeled, rest) if side == "first" else (rest, *peeled)
    made = _peeled_definitions(own, at, guarded=peeled is not copy)
    new = with_definitions(replace_nodes(function, site.path, *nodes), site.path, made)
    return done(new, "peel", loop, assumes=steady(function, own), side=side)


def _peeled_definitions(loop: ir.Loop, at: ir.Poly, *, guarded: bool) -> tuple[ir.Definition, ...]:
    made = definitions_at(loop.definitions, {loop.index: at})
    if not guarded:
        return made
    return tuple(
        [replace(each, condition="branch") if each.condition == "none" else each for each in made]
    )


def _runs(loop: ir.Loop) -> ir.Statement:
    low, high = loop.lower, loop.upper
    if (loop.step.value or 1) < 0:
        low, high = high, low
    values = (
        ir.IndexValue(type="i64", poly=low),
        ir.IndexValue(type="i64", poly=high),
        ir.Relation(type="i64", args=(0, 1), operator="<"),
    )
    return ir.Statement(values, (), loop.origin)


def decide_branches(nodes: Nodes, loops: list[ir.Loop]) -> Nodes:
    """``nodes`` inside ``loops`` without the branches whose condition the bounds decide."""
    result: list[ir.Node] = []
    for node in nodes:
        if isinstance(node, ir.Branch):
            taken = _decide(node.condition, loops)
            if taken is not None:
                result += decide_branches(node.then if taken else node.orelse, loops)
                continue
        around = [*loops, node] if isinstance(node, ir.Loop) else loops
        result.append(with_bodies(node, partial(decide_branches, loops=around)))
    return tuple(result)


_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def _decide(condition: ir.Statement, loops: list[ir.Loop]) -> bool | None:
    """The result of a comparison of two closed forms in every iteration; None if it varies."""
    if len(condition.values) != 3 or condition.accesses:
        return None
    left, right, compare = condition.values
    if compare.op != "compare" or compare.args != (0, 1):
        return None
    a, b = left.closed_form, right.closed_form
    if a is None or b is None:
        return None
    if not may_hold(a - b, _NEGATED[compare.operator], loops):
        return True
    return None if may_hold(a - b, compare.operator, loops) else False


@change
def unswitch(function: ir.Function, loop: str) -> ChangedFunction:
    """The first branch directly in the loop outside it, where its condition never changes."""
    site = free_site(function, loop)
    own = site.loop
    found = next((k for k, n in enumerate(own.body) if isinstance(n, ir.Branch)), None)
    if found is None:
        raise RefusalError(f"no branch is directly inside {loop}")
    branch = own.body[found]
    assert isinstance(branch, ir.Branch)
    _require_invariant(own, branch.condition)
    condition = replace(
        branch.condition,
        values=tuple([ir.without_carry(value) for value in branch.condition.values]),
    )
    before, behind = own.body[:found], own.body[found + 1 :]
    then = replace(own, body=(*before, *branch.then, *behind))
    orelse: Nodes = ()
    if before or branch.orelse or behind:
        orelse = (replace(own, body=(*before, *branch.orelse, *behind)),)
    node = ir.Branch(condition=condition, then=(then,), orelse=orelse, origin=branch.origin)
    assumes = (*kept_apart(function, own, (condition,)), *steady(function, own))
    return done(replace_nodes(function, site.path, node), "unswitch", loop, assumes=assumes)


def _require_invariant(loop: ir.Loop, condition: ir.Statement) -> None:
    for value in condition.values:
        if value.op in ("scalar", "carried") and sets_scalar(loop, value.name):
            raise RefusalError(f"the loop changes {value.name}")
        if value.op == "index" and _moves(loop, value.closed_form):
            raise RefusalError(f"the condition changes with {loop.index}")
        if value.op in ("assign", "store", "opaque", "call"):
            raise RefusalError("the condition does more than compare")
    written = {a.array for s in statements_in(loop.body) for a in s.accesses if a.write}
    for access in condition.accesses:
        if access.array in written:
            raise RefusalError(f"the loop writes {access.array}")
        if loop.index in access.offset.names() or access.offset.unknowns():
            raise RefusalError(f"the condition reads {access.array} in another place each time")


def _moves(loop: ir.Loop, poly: ir.Poly | None) -> bool:
    return poly is None or loop.index in poly.mentions()
