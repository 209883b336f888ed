"""Sums in another order: what waits for the previous iteration is added last.

``x[i-1] + a[i] + b[i]`` has two additions between two iterations, ``x[i-1] + (a[i] + b[i])`` one.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from rooflint import ir
from rooflint.records import NamedTuple
from rooflint.transform.arithmetic.operations import FLOATS, rounding_otherwise
from rooflint.transform.nest.graph import Builder, uses
from rooflint.transform.nest.rewrite import statements_in
from rooflint.transform.nest.scalars import assigned_scalars
from rooflint.transform.nest.tree import site_of
from rooflint.transform.result import ChangedFunction, change

FARTHEST: Final = 8
"""Iterations that a store may lie back: of more the chain takes hardly any time per iteration."""
_Element: TypeAlias = tuple[str, ir.Poly]
"""An array, and bytes from its start."""
Sign: TypeAlias = Literal["add", "sub"]
_OTHER: Final[Mapping[Sign, Sign]] = {"add": "sub", "sub": "add"}


class Term(NamedTuple):
    """A term of a sum: its value, how it counts, and the additions between it and the result."""

    value: int
    sign: Sign
    depth: int


@change
def add_carried_last(function: ir.Function, loop: str) -> ChangedFunction:
    """In sums, the term that waits for the previous iteration comes last; it rounds otherwise.

    Not in a sum over the iterations, ``s = s + a[i] + b[i]``: several of those run side by side.
    """
    own = site_of(function, loop).loop
    scalars = assigned_scalars(own.body)
    stored = _stored_before(own)

    def carried_last(statement: ir.Statement) -> ir.Statement:
        return _with_carried_last(statement, _distances(scalars, stored, statement))

    none = f"no sum of {loop} adds anything to a carried term"
    return rounding_otherwise(function, loop, "add_carried_last", carried_last, none)


def _stored_before(loop: ir.Loop) -> Mapping[_Element, int]:
    """The elements that earlier iterations have stored, and how many iterations ago the last one
    did."""
    index = ir.Poly.symbol(loop.index)
    earlier = [{loop.index: index - loop.step * back} for back in range(1, FARTHEST + 1)]
    stores = [a for s in statements_in(loop.body) for a in s.accesses if a.write]
    found: dict[_Element, int] = {}
    for array, offset in dict.fromkeys([(store.array, store.offset) for store in stores]):
        for back, indices in enumerate(earlier, 1):
            element = array, offset.substitute(indices)
            found[element] = min(back, found.get(element, back))
    return found


def _distances(
    scalars: Container[str], stored: Mapping[_Element, int], statement: ir.Statement
) -> dict[int, int]:
    """The values that wait for an earlier iteration, and how many iterations back it lies."""
    found: dict[int, int] = {}
    for number, value in enumerate(statement.values):
        known = [found[argument] for argument in value.args if argument in found]
        if value.op == "carried" and value.name in scalars:
            known.append(1)
        elif value.op == "load":
            read = statement.accesses[value.access]
            back = stored.get((read.array, read.offset))
            known += [] if back is None else [back]
        if known:
            found[number] = min(known)
    return found


def _with_carried_last(statement: ir.Statement, distances: Mapping[int, int]) -> ir.Statement:
    late: dict[int, tuple[Term, list[Term]]] = {}
    for root, terms in _sums(statement, uses(statement)):
        carried = _carried(terms, distances)
        if carried is not None and statement.values[carried.value].op != "carried":
            late[root] = carried, [term for term in terms if term is not carried]
    if not late:
        return statement
    new = Builder(statement)
    for number, value in enumerate(statement.values):
        args = new.arguments(value)
        made = _sum(new, value.type, *late[number]) if number in late else None
        new.add(made or ir.with_operands(value, args))
    return new.statement(live_only=True)


def _sums(
    statement: ir.Statement, used: Mapping[int, int]
) -> Iterator[tuple[int, tuple[Term, ...]]]:
    """The sums that are no part of a larger one, each with its terms in the order of the source."""
    values = statement.values
    inner = {
        argument
        for value in values
        if _adds(value)
        for argument in value.args
        if used[argument] == 1 and _adds(values[argument])
    }

    def terms(number: int, sign: Sign, depth: int) -> Iterator[Term]:
        left, right = values[number].args
        turned = _OTHER[sign] if values[number].op == "sub" else sign
        for argument, own in ((left, sign), (right, turned)):
            if argument in inner:
                yield from terms(argument, own, depth + 1)
            else:
                yield Term(value=argument, sign=own, depth=depth + 1)

    for number, value in enumerate(values):
        if _adds(value) and number not in inner:
            yield number, tuple(terms(number, "add", 0))


def _adds(value: ir.Value) -> bool:
    return value.op in ("add", "sub") and value.type in FLOATS


def _carried(terms: Sequence[Term], distances: Mapping[int, int]) -> Term | None:
    """The term that waits for the nearest earlier iteration, unless it is added last already."""
    waiting = [term for term in terms if term.value in distances]
    nearest = min([distances[term.value] for term in waiting], default=0)
    first = [term for term in waiting if distances[term.value] == nearest]
    return first[0] if len(first) == 1 and first[0].depth > 1 else None


def _sum(new: Builder, kind: str, carried: Term, others: Sequence[Term]) -> ir.Arithmetic:
    """``carried`` plus the sum of the others, which begins with one that is added, if any is.

    The first term of all is always added: only where it is ``carried`` may the others have none.
    """
    lead = next((term for term in others if term.sign == "add"), others[0])
    total, sign = new.moved[lead.value], lead.sign
    for term in others:
        if term is not lead:
            op: Sign = "add" if term.sign == sign else "sub"
            args = (total, new.moved[term.value])
            total = new.extra(ir.Arithmetic(op=op, type=kind, args=args))
    last = new.moved[carried.value]
    if carried.sign == "sub":
        return ir.Arithmetic(op="sub", type=kind, args=(total, last))
    return ir.Arithmetic(op=sign, type=kind, args=(last, total))
