"""Hoisting: what every iteration computes anew and alike is computed once before the loop."""

from collections.abc import Set
from typing import Final

from msgspec.structs import replace

from rooflint.ir import (
    Assignment,
    Branch,
    Call,
    Function,
    Loop,
    Node,
    Region,
    ScalarRead,
    Statement,
    Value,
    with_operands,
)
from rooflint.transform.nest.graph import Builder, invariant_values
from rooflint.transform.nest.legality import kept_apart
from rooflint.transform.nest.rewrite import fresh, map_statements, statements_in
from rooflint.transform.nest.tree import Nodes, preceded, replaced, site_of
from rooflint.transform.result import Refused, Result, done

TRIVIAL: Final = frozenset(("const", "scalar", "carried", "index", "assign", "store"))


def hoist(function: Function, loop: str, ops: tuple[str, ...] = ()) -> Result:
    """Invariant values of the loop before it, those of the operations ``ops`` only if any given.

    The largest expressions move as a whole. Assumes what a loop that never runs would not have
    computed does no harm, and that called functions have no effects.
    """
    site = site_of(function, loop)
    if isinstance(site, Refused):
        return site
    own = site.loop
    before: list[Statement] = []
    taken: list[str] = []
    called: dict[str, None] = {}
    known: dict[tuple[tuple[Value, ...], tuple[object, ...]], str] = {}

    def change(statement: Statement) -> Statement:
        steady = invariant_values(own, statement)
        wanted = {n for n in steady if not ops or _holds(statement, n, ops)}
        inner = {
            a for n, v in enumerate(statement.values) if n in wanted for a in v.args if a in wanted
        }
        outside = {a for n, v in enumerate(statement.values) if n not in steady for a in v.args}
        roots = {
            n
            for n in wanted
            if statement.values[n].op not in TRIVIAL
            and (n not in inner or n in outside)
            and not _may_trap(statement, n)
        }
        last = len(statement.values) - 1
        if not roots:
            return statement
        new = Builder(statement)
        for number, value in enumerate(statement.values):
            if number not in roots or (number == last and not outside):
                new.add(with_operands(value, new.arguments(value)))
                continue
            own_part = Builder(replace(statement, values=(), accesses=()))
            result = own_part.copied(statement, number)
            key = (tuple(own_part.made), tuple(own_part.accesses))
            if key not in known:
                name = known[key] = fresh(function, f"{value.op}_value", taken)
                taken.append(name)
                called.update((v.callee, None) for v in own_part.made if v.op == "call")
                own_part.extra(Assignment(type=value.type, args=(result,), name=name))
                before.append(own_part.statement())
            new.add(ScalarRead(type=value.type, name=known[key]))
        return new.statement(live_only=True)

    body = map_statements(own.body, change)
    if not before:
        return Refused(f"{loop} computes nothing that stays the same")
    left = {v.callee for s in statements_in(body) for v in s.values if v.op == "call"}
    body = _without(body, called.keys() - left)
    new = replaced(function, site.path, replace(own, body=body))
    new = preceded(new, site.path, *before)
    pure = [f"{name} has no effects" for name in called]
    assumes = (*pure, *kept_apart(function, own, tuple(before)))
    return done(new, "hoist", loop, assumes=assumes, ops=ops)


def _without(nodes: Nodes, called: Set[str]) -> Nodes:
    """``nodes`` without what calls that are made before them might do besides their value."""
    kept: list[Node] = []
    for node in nodes:
        if isinstance(node, Branch):
            then, orelse = _without(node.then, called), _without(node.orelse, called)
            kept.append(replace(node, then=then, orelse=orelse))
        elif isinstance(node, Loop | Region):
            kept.append(replace(node, body=_without(node.body, called)))
        elif not (isinstance(node, Call) and node.name in called):
            kept.append(node)
    return tuple(kept)


def _may_trap(statement: Statement, number: int) -> bool:
    """Whether the value divides integers: by zero, perhaps, where the loop would not have."""
    value = statement.values[number]
    integers = value.op in ("div", "rem") and value.type[:1] in "iu"
    return integers or any(_may_trap(statement, argument) for argument in value.args)


def _holds(statement: Statement, number: int, ops: tuple[str, ...]) -> bool:
    value = statement.values[number]
    return value.op in ops or any(_holds(statement, argument, ops) for argument in value.args)
