"""Integers without a closed form that an iteration takes over from the one before.

The IR has no statement for an assignment whose readers know the value; of a variable whose value no
reader knows, such as ``seed = seed * 1664525 + 1`` or a flag that a branch sets, the definitions
beside the loop's body tell what the next iteration finds.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rooflint.ir import Branch, Definition, IndexValue, Loop, Poly, Statement, Unknown, walk
from rooflint.records import NamedTuple

BOTH_ARMS: Final = 2
"""Definitions under a condition, one of which each way through a branch makes."""


class CarriedInteger(NamedTuple):
    """One variable: ``handed_on`` is its last definition, where no statement assigns it."""

    name: str
    handed_on: Definition | None


def carried_integers(loop: Loop) -> dict[str, CarriedInteger]:
    """By name, the integers that an innermost loop's iteration reads, or adds to, as the previous
    one left them."""
    unknown = {each.name for each in loop.extra_inductions if not each.known}
    if not unknown:
        return {}
    reads, assigned = _first_reads(loop, unknown), _assigned(loop)
    found = {}
    for name in sorted(unknown):
        own = _definitions(loop, name)
        if (own or name in assigned) and _is_handed_on(own, name, reads.get(name)):
            found[name] = CarriedInteger(name, own[-1] if own else None)
    return found


def _definitions(loop: Loop, name: str) -> list[Definition]:
    return [each for each in loop.definitions if each.variable == name and each.type != "ptr"]


def _assigned(loop: Loop) -> set[str]:
    """The scalars that statements assign."""
    values = [value for statement in _statements(loop) for value in statement.values]
    return {value.name for value in values if value.op == "assign"}


def _is_handed_on(own: Sequence[Definition], name: str, read: int | None) -> bool:
    """Whether an iteration needs what the one before left in the variable ``name``.

    own   the variable's definitions, all of them stated
    read  the position of the first statement that reads it
    """
    if any(each.condition == "unstated" or each.value is None for each in own):
        return False
    if any(reads_variable(each.value, name) for each in own):
        return True
    return read is not None and not _is_set_before(own, read)


def set_in_branches(loop: Loop) -> frozenset[str]:
    """The variables that definitions set in some iterations only."""
    return frozenset([each.variable for each in loop.definitions if each.condition == "branch"])


def reads_variable(value: Poly | None, name: str) -> bool:
    """Whether a value is made of the variable's own unknown value."""
    return value is not None and any(each.text == name for each in value.unknowns())


def linear_in(value: Poly, unknown: Unknown) -> tuple[int, Poly] | None:
    """``factor, rest`` of ``factor * unknown + rest``; None for other forms."""
    factor = value.terms.get((unknown,), 0)
    rest = value - Poly({(unknown,): factor})
    return None if not factor or rest.unknowns() else (factor, rest)


def _is_set_before(definitions: Iterable[Definition], read: int) -> bool:
    """Whether each iteration sets the variable before it reads it at the position ``read``."""
    before = [each for each in definitions if each.origin < read]
    always = any(each.condition == "none" for each in before)
    return always or len(before) >= BOTH_ARMS


def _first_reads(loop: Loop, names: Iterable[str]) -> dict[str, int]:
    """By name, the position of the first statement that reads the variable's unknown value."""
    found: dict[str, int] = {}
    for statement in _statements(loop):
        for value in statement.values:
            if isinstance(value, IndexValue):
                for unknown in value.poly.unknowns():
                    if unknown.text in names:
                        found.setdefault(unknown.text, statement.origin)
    return found


def _statements(loop: Loop) -> Iterator[Statement]:
    for node in walk(loop.body):
        if isinstance(node, Statement):
            yield node
        elif isinstance(node, Branch):
            yield node.condition
