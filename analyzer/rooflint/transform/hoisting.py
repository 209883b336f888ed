"""Hoisting: what every iteration computes anew and alike is computed once before the loop."""

from collections.abc import Mapping, Set
from functools import partial
from typing import Final

from msgspec.structs import replace

from rooflint import ir
from rooflint.dependence import (
    Assumption,
    FunctionMemory,
    MemoryReference,
    memory_of,
    references_in,
    unproven,
)
from rooflint.dependence.alias import CHARACTERS
from rooflint.ir.definitions import changed_integers
from rooflint.transform.nest.graph import Builder, invariant_values
from rooflint.transform.nest.legality import kept_apart
from rooflint.transform.nest.rewrite import fresh, map_statements, statements_in
from rooflint.transform.nest.scalars import assigned_scalars
from rooflint.transform.nest.tree import Nodes, insert_before, replace_nodes, site_of, with_bodies
from rooflint.transform.result import ChangedFunction, RefusalError, change, done

TRIVIAL: Final = frozenset(("const", "scalar", "carried", "index", "assign", "store"))


@change
def hoist(function: ir.Function, loop: str, ops: tuple[str, ...] = ()) -> ChangedFunction:
    """Invariant values of the loop before it, those of the operations ``ops`` only if any given.

    The largest expressions move as a whole. Assumes what a loop that never runs would not have
    computed does no harm, and that called functions have no effects.
    """
    site = site_of(function, loop)
    own = site.loop
    hoisted = _Hoisted(function)

    def change_statement(statement: ir.Statement) -> ir.Statement:
        roots = _roots(statement, invariant_values(own, statement), ops)
        return hoisted.without(statement, roots) if roots else statement

    body = map_statements(own.body, change_statement)
    if not hoisted.before:
        raise RefusalError(f"{loop} computes no invariant value")
    left = {v.callee for s in statements_in(body) for v in s.values if v.op == "call"}
    body = _without(body, hoisted.called.keys() - left)
    new = replace_nodes(function, site.path, replace(own, body=body))
    new = insert_before(new, site.path, *hoisted.before)
    pure = [f"{name} has no effects" for name in hoisted.called]
    assumes = (*pure, *kept_apart(function, own, tuple(hoisted.before)))
    return done(new, "hoist", loop, assumes=assumes, ops=ops)


def _roots(statement: ir.Statement, steady: set[int], ops: tuple[str, ...]) -> set[int]:
    """The largest invariant expressions; the last value stays if nothing else needs it outside."""
    values = statement.values
    wanted = {n for n in steady if not ops or _holds(statement, n, ops)}
    inner = {a for n in wanted for a in values[n].args}
    outside = {a for n, v in enumerate(values) if n not in steady for a in v.args}
    candidates = (wanted - inner) | (wanted & outside)
    if not outside:
        candidates.discard(len(values) - 1)
    return {n for n in candidates if values[n].op not in TRIVIAL and not _may_trap(statement, n)}


class _Hoisted:
    """Statements before a loop that compute what its iterations share.

    called   the functions among that
    """

    def __init__(self, function: ir.Function) -> None:
        self.function = function
        self.before: list[ir.Statement] = []
        self.called: dict[str, None] = {}
        self._names: dict[tuple[tuple[ir.Value, ...], tuple[object, ...]], str] = {}

    def without(self, statement: ir.Statement, roots: set[int]) -> ir.Statement:
        new = Builder(statement)
        for number, value in enumerate(statement.values):
            if number not in roots:
                new.add(ir.with_operands(value, new.arguments(value)))
                continue
            name = self._name(statement, number, value)
            new.add(ir.ScalarRead(type=value.type, name=name))
        return new.statement(live_only=True)

    def _name(self, statement: ir.Statement, number: int, value: ir.Value) -> str:
        """The scalar that holds a value; equal ones share it."""
        own_part = Builder(replace(statement, values=(), accesses=()))
        result = own_part.copied(statement, number)
        key = (tuple(own_part.made), tuple(own_part.accesses))
        if key not in self._names:
            taken = self._names.values()
            name = self._names[key] = fresh(self.function, f"{value.op}_value", taken)
            self.called.update((v.callee, None) for v in own_part.made if v.op == "call")
            own_part.extra(ir.Assignment(type=value.type, args=(result,), name=name))
            self.before.append(own_part.statement())
        return self._names[key]


def _without(nodes: Nodes, called: Set[str]) -> Nodes:
    """``nodes`` without what calls that are made before them might do besides their value."""
    inside = partial(_without, called=called)
    left = [node for node in nodes if not (isinstance(node, ir.Call) and node.name in called)]
    return tuple([with_bodies(node, inside) for node in left])


def _may_trap(statement: ir.Statement, number: int) -> bool:
    """Whether the value divides integers: by zero, perhaps, where the loop would not have."""
    value = statement.values[number]
    integers = value.op in ("div", "rem") and value.type[:1] in "iu"
    return integers or any(_may_trap(statement, argument) for argument in value.args)


def _holds(statement: ir.Statement, number: int, ops: tuple[str, ...]) -> bool:
    value = statement.values[number]
    return value.op in ops or any(_holds(statement, argument, ops) for argument in value.args)


@change
def copy_scalars(function: ir.Function, loop: str) -> ChangedFunction:
    """The scalars in memory that ``loop`` reads, and a store in it may change, as local copies.

    Assumes that no store does change them.
    """
    site = site_of(function, loop)
    found = changeable_scalars(function, site.loop)
    if not found:
        raise RefusalError(f"no store of {loop} may change a scalar that it reads")
    left = tuple([name for name in site.loop.condition_reads if name not in found])
    pointers = tuple([each for each in site.loop.pointers if each.holder not in found])
    own = replace(site.loop, condition_reads=left, pointers=pointers)
    new = replace_nodes(function, site.path, own)
    assumes = dict.fromkeys([each for assumed in found.values() for each in assumed])
    return done(new, "copy_scalars", loop, assumes=tuple(assumes))


def changeable_scalars(
    function: ir.Function, loop: ir.Loop
) -> Mapping[str, tuple[Assumption, ...]]:
    """The scalars in memory that ``loop`` only reads and a store in it may change, each with the
    assumptions under which none does.

    Not those that types keep apart from all stores: compilers keep them in registers. With stores
    of characters, which may touch anything, pointers in memory are among them.
    """
    cells = {cell.name for cell in function.cells}
    if not cells:
        return {}
    memory = memory_of(function)
    touched = references_in((loop,), memory)
    changed = {*assigned_scalars(loop.body), *changed_integers((loop,))}
    stores = [each for each in touched.written if each.name not in changed]
    read = [each for each in touched.used if each.name in cells - changed]
    found = {scalar.name: _kept_by(scalar, stores, memory) for scalar in read}
    return {name: assumed for name, assumed in found.items() if assumed}


def _kept_by(
    scalar: MemoryReference, stores: list[MemoryReference], memory: FunctionMemory
) -> tuple[Assumption, ...]:
    """Assumptions under which the stores leave a scalar, or a pointer, as it is."""
    if scalar.name in memory.arrays:
        characters = [each.name for each in stores if each.type in CHARACTERS]
        return tuple([f"stores to {name} leave {scalar.name} as it is" for name in characters])
    return tuple([pair for pair in unproven(stores, (scalar,), memory) if not pair.by_type])
