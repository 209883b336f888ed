"""Addresses: how far they move, and what they wait for in tables, state machines and lists.

An access knows its address as a polynomial. Where that has a part without a closed form, as in
``table[(crc ^ a[i]) & 255]``, the values that it is made of stand before the load in the same
statement, and no value takes them as an operand.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final, TypeAlias

from rooflint import ir
from rooflint.facts import Kernel
from rooflint.ir.poly import PolyFunction
from rooflint.records import NamedTuple

Stride: TypeAlias = int | ir.Poly | None
"""Bytes per iteration of the kernel's own loop; None where it is not linear in its index."""

_OPERATIONS: Final[Mapping[str, str]] = {"mod": "and", "floordiv": "shr"}
"""Remainders and quotients are those of powers of two, where they are in an address."""
_SCALES: Final = (1, 2, 4, 8)
"""Factors that an addressing mode of x86 multiplies an index by (other processors have shifts)."""
_EFFECTS: Final = frozenset(("store", "assign", "call"))


def address_values(values: Sequence[ir.Value], since: int, load: int) -> list[int]:
    """The positions in a statement of what the address of its value ``load`` is made of.

    since  the position of the load before it that has such an address too
    """
    operands = {argument for value in values for argument in value.args}
    return [
        position
        for position in range(since, load)
        if position not in operands and values[position].op not in _EFFECTS
    ]


def address_operations(offset: ir.Poly) -> Iterator[str]:
    """The operations between a value without closed form and the address that is made of it."""
    for monomial, factor in offset.terms.items():
        for atom in monomial:
            if isinstance(atom, PolyFunction) and ir.Poly.symbol(atom).unknowns():
                yield _OPERATIONS.get(atom.kind, "add")
            elif isinstance(atom, ir.Unknown) and abs(factor) not in _SCALES:
                yield "mul" if factor & (factor - 1) else "shl"


def chased_pointers(kernel: Kernel) -> frozenset[str]:
    """The pointers of an innermost loop that an iteration reads through themselves (``p->next``).

    No statement assigns a pointer. A pointer that is loaded, and that no statement uses, is what a
    definition gives to the one through which it is loaded.
    """
    defined = {
        each.variable
        for each in kernel.loops[-1].definitions
        if each.type == "ptr" and each.value is None and each.condition == "none"
    }
    if not defined or not kernel.innermost:
        return frozenset()
    loaded = {name for statement in kernel.statements for name in loaded_through(statement)}
    return frozenset(defined & loaded)


def loaded_through(statement: ir.Statement) -> Iterator[str]:
    """The variables that are part of the address of a pointer that a statement loads for nobody."""
    last = statement.values[-1] if statement.values else None
    if isinstance(last, ir.Load) and last.type == "ptr":
        for unknown in statement.accesses[last.access].offset.unknowns():
            if unknown.variable:
                yield unknown.variable


def scattered_rows(kernel: Kernel) -> frozenset[str]:
    """The arrays of rows each of whose pointers an iteration reads from a table: where they lie no
    compiler knows, whatever distance is assumed for their traffic."""
    own = kernel.loops[-1]
    accesses = [access for statement in kernel.statements for access in statement.accesses]
    tables = {a.array for a in accesses if a.type == "ptr" and own.index in a.offset.names()}
    rows = [each for each in own.pointers if each.target not in ("", each.holder)]
    return frozenset([each.target for each in rows if each.holder in tables])


def may_wrap(access: ir.Access, own: ir.Loop) -> bool:
    """Whether an address is that of an element, up to a constant distance, whose number is an
    ``unsigned`` that the loop counts on from a value that nothing is known of."""
    counted = [each for each in own.definitions if each.type == "u32" and each.condition == "none"]
    values = [each.closed_form for each in counted]
    return any(value is not None and _runs_with(access.offset, value, own) for value in values)


def wraps_unseen(access: ir.Access, loops: Sequence[ir.Loop]) -> bool:
    """Whether an access is to an array at whose subscripts a sum of 32 bits may wrap, and no
    constant bounds of all its indices say otherwise."""
    if access.array not in loops[-1].wrapping:
        return False
    bounded: set[str] = set()
    for loop in loops:
        ends = (loop.lower, loop.upper)
        if all(not end.unknowns() and end.names() <= bounded for end in ends):
            bounded.add(loop.index)
    return not access.offset.names() <= bounded


def _runs_with(offset: ir.Poly, value: ir.Poly, own: ir.Loop) -> bool:
    step, pace = value.coefficient(own.index), offset.coefficient(own.index)
    if step is None or pace is None or not step.value or not pace.value:
        return False
    apart = offset * step.value - value * pace.value
    return apart.value is not None and value.substitute({own.index: own.lower}).value is None


def stride_of(offset: ir.Poly, index: str, step: ir.Poly) -> Stride:
    """The distance that ``offset`` moves per iteration of the loop over ``index``."""
    factor = 0
    rest: list[ir.Poly] = []
    for monomial, coefficient in offset.terms.items():
        if monomial == (index,):
            factor = coefficient
        elif index in monomial:
            found = offset.coefficient(index)
            if found is None:
                return None
            rest.append(found)
            break
        elif any(not isinstance(atom, str) and moves_with(atom, index) for atom in monomial):
            return None
    if rest:
        return rest[0] * step
    size = step.value
    return factor * size if size is not None else step * factor


def steps_by_one(access: ir.Access, loop: ir.Loop) -> bool:
    """Whether one subscript moves with a loop, by one an iteration."""
    moving = [each for each in access.subscripts if loop.index in each.mentions()]
    factor = moving[0].coefficient(loop.index) if len(moving) == 1 else None
    return factor is not None and (factor * loop.step).value == 1


def moves_with(atom: object, index: str) -> bool:
    """Whether a part of a polynomial changes with a loop index, as far as its text tells."""
    if isinstance(atom, ir.Unknown):
        return not atom.depends or index in atom.depends
    return index in ir.Poly.symbol(atom).names() or any(  # type: ignore[arg-type]
        not u.depends or index in u.depends
        for u in ir.Poly.symbol(atom).unknowns()  # type: ignore[arg-type]
    )


class ArmsMeeting(NamedTuple):
    """A load of what a store touches so many ``iterations`` later, earlier where it is negative."""

    load: ir.Access
    iterations: int
    loads_first: bool


def meetings_in_arms(loop: ir.Loop, present: Set[ir.Access | None]) -> Iterator[ArmsMeeting]:
    """The loads that meet a store of the loop in another iteration, unless both are ``present``."""
    places = list(enumerate(loop_accesses(loop)))
    loads: dict[str, list[tuple[int, ir.Access]]] = {}
    for position, access in places:
        if not access.write:
            loads.setdefault(access.array, []).append((position, access))
    for position, store in places:
        stride = stride_of(store.offset, loop.index, loop.step) if store.write else None
        if isinstance(stride, int) and stride:
            for number, load in loads.get(store.array, ()):
                iterations = _iterations_between(store, load, stride)
                if iterations and not {store, load} <= present:
                    yield ArmsMeeting(load, iterations, number < position)


def _iterations_between(store: ir.Access, load: ir.Access, stride: int) -> int:
    """The iterations after which a store comes to what a load touches; 0 where it never does."""
    apart = (load.offset - store.offset).value
    return apart // stride if apart and apart % stride == 0 else 0


def loop_accesses(loop: ir.Loop) -> Iterator[ir.Access]:
    """Those of all arms, in the order of the source."""
    for node in ir.walk(loop.body):
        if isinstance(node, ir.Statement):
            yield from node.accesses
        elif isinstance(node, ir.Branch):
            yield from node.condition.accesses
