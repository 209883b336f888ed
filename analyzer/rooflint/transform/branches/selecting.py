"""Stores under a condition as stores of a selection: the new value, or the one that is there."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from rooflint.dependence import memory_of, references_in, unproven
from rooflint.ir import (
    Access,
    Branch,
    Function,
    Load,
    Loop,
    Node,
    Selection,
    Statement,
    Value,
    with_operands,
)
from rooflint.records import NamedTuple
from rooflint.transform.nest.tree import replace_nodes, site_of
from rooflint.transform.result import ChangedFunction, RefusalError, change, done

COSTLY: Final = frozenset(("call", "div", "rem", "sqrt", "opaque"))
"""Operations that an iteration had better leave out where it can."""
MOST_OPERATIONS: Final = 4
"""Of the arm: what a selection computes in vain costs no more than a few cycles."""
_NO_OPERATION: Final = frozenset(("load", "const", "scalar", "index", "convert"))


class ConditionalStore(NamedTuple):
    """A branch on data that only stores one element.

    position  of the branch in the loop's body
    arm       the statement that stores
    """

    position: int
    branch: Branch
    arm: Statement

    @property
    def target(self) -> Access:
        """The element that is stored."""
        return next(access for access in self.arm.accesses if access.write)

    @property
    def condition_reads_target(self) -> bool:
        """Whether the branch decides by the element that it stores to."""
        return self._old in self.branch.condition.accesses

    @property
    def arm_reads_target(self) -> bool:
        """Whether the new value comes from the old one."""
        return self._old in self.arm.accesses

    @property
    def computes_floats(self) -> bool:
        """Whether the arm has an operation of floating-point numbers."""
        return any(
            value.op not in _NO_OPERATION and value.type.startswith("f")
            for value in self.arm.values[:-1]
        )

    @property
    def _old(self) -> Access:
        return self.target._replace(write=False)

    @property
    def costly(self) -> str:
        """The part of the arm that costs more than a selection saves; empty where none does."""
        operations = [value.op for value in self.arm.values[:-1]]
        costly = next((each for each in operations if each in COSTLY), "")
        if costly:
            return "a call" if costly in ("call", "opaque") else f"a {costly}"
        count = sum(each not in _NO_OPERATION for each in operations)
        return f"{count} operations" if count > MOST_OPERATIONS else ""


def conditional_store(loop: Loop) -> ConditionalStore | None:
    """The only branch of an innermost loop, if it stores one element at a known place."""
    places = [k for k, node in enumerate(loop.body) if isinstance(node, Branch)]
    moved = any(each.condition != "none" for each in loop.definitions)
    if len(places) != 1 or loop.exits or moved:
        return None
    found = _stored_under(loop.body[places[0]], places[0])
    moves = found is not None and loop.index in found.target.offset.names()
    return found if moves else None


def _stored_under(branch: Node, position: int) -> ConditionalStore | None:
    """The store that a branch on data consists of."""
    if not isinstance(branch, Branch) or branch.orelse or len(branch.then) != 1:
        return None
    arm = branch.then[0]
    if not isinstance(arm, Statement) or not _stores_once(arm):
        return None
    loads = any(value.op == "load" for value in branch.condition.values)
    return ConditionalStore(position=position, branch=branch, arm=arm) if loads else None


def _stores_once(arm: Statement) -> bool:
    stores = [value for value in arm.values if value.op == "store"]
    known = not any(access.offset.unknowns() for access in arm.accesses)
    return len(stores) == 1 and stores[0] is arm.values[-1] and known


@change
def store_selected(function: Function, loop: str) -> ChangedFunction:
    """Each iteration stores: what the branch would, or what it has read at that place.

    Elements are written that were only read before, which other threads may notice.
    """
    site = site_of(function, loop)
    found = conditional_store(site.loop)
    if found is None:
        raise RefusalError(f"no branch of {loop} only stores an element")
    if found.costly:
        raise RefusalError(f"the branch has {found.costly}")
    body = list(site.loop.body)
    body[found.position] = _selected(found)
    new = replace_nodes(function, site.path, replace(site.loop, body=tuple(body)))
    memory = memory_of(function)
    references = references_in((site.loop,), memory)
    return done(
        new,
        "store_selected",
        loop,
        assumes=(
            f"no other thread stores to {found.target.array} meanwhile",
            f"all elements of {', '.join(_read_in_arm(found))} may be read",
            *unproven(references.written, references.used, memory),
        ),
    )


def _read_in_arm(found: ConditionalStore) -> tuple[str, ...]:
    return tuple(dict.fromkeys([access.array for access in found.arm.accesses]))


def _selected(found: ConditionalStore) -> Statement:
    """The condition, the value of the arm, the one in memory, and the store of one of them."""
    condition, arm = found.branch.condition, found.arm
    stored = arm.values[-1]
    assert stored.op == "store"
    values: list[Value] = list(condition.values)
    start, first = len(values), len(condition.accesses)
    for value in arm.values[:-1]:
        moved = with_operands(value, tuple([start + each for each in value.args]))
        if moved.op == "load":
            moved = replace(moved, access=first + moved.access)
        values.append(moved)
    accesses = (*condition.accesses, *arm.accesses)
    old = _loaded(values, accesses, found.target)
    if old is None:
        old = len(values)
        values.append(Load(type=stored.type, access=len(accesses)))
        accesses = (*accesses, found.target._replace(write=False))
    values += [
        Selection(type=stored.type, args=(start - 1, start + stored.args[0], old)),
        replace(stored, args=(len(values),), access=first + stored.access),
    ]
    return Statement(values=tuple(values), accesses=accesses, origin=found.branch.origin)


def _loaded(values: Sequence[Value], accesses: Sequence[Access], target: Access) -> int | None:
    """The value that was read of an element, if one was."""
    for number, value in enumerate(values):
        if value.op == "load" and accesses[value.access] == target._replace(write=False):
            return number
    return None
