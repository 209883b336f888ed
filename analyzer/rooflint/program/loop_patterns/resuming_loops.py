"""Loops that go on where an earlier call left off.

A position that outlives the call, a member or a global variable, is where the index begins, and the
function sets it to the loop's end: ``i = s->done; while (i < end) …; s->done = end;``. Each call
has as far to go as the end has moved since the one before: no guess of either end tells that.
"""

from collections.abc import Iterator, Sequence

from rooflint.ir.equations import BoundedLoop, Equations, Quantity, QuantityTerm, Term

_LASTING = frozenset(("member", "element", "target", "written-target"))


def resuming_loops(file: Equations) -> frozenset[int]:
    """The positions of these loops in the file."""
    terms: dict[int, set[Term]] = {}
    for equation in file.equations:
        terms.setdefault(equation.target, set()).add(equation.term)
    return frozenset(
        position
        for position, loop in enumerate(file.loops)
        for begin, end in _lasting_ends(file.quantities, loop, terms)
        if end in terms.get(begin, ())
    )


def _lasting_ends(
    quantities: Sequence[Quantity], loop: BoundedLoop, terms: dict[int, set[Term]]
) -> Iterator[tuple[int, Term]]:
    """Lasting quantities that the loop may begin at, each with the loop's end."""
    for begin, end in _begins(loop, terms):
        if isinstance(begin, QuantityTerm) and _lasts(quantities[begin.position]):
            yield begin.position, end


def _begins(loop: BoundedLoop, terms: dict[int, set[Term]]) -> Iterator[tuple[Term, Term]]:
    """Terms that the loop may begin at, each with its end."""
    if loop.lower is not None and loop.upper is not None:
        yield loop.lower, loop.upper
    for test in loop.tests:
        if test.relation in ("<", "<=", "!=") and isinstance(test.left, QuantityTerm):
            for begin in terms.get(test.left.position, ()):
                yield begin, test.right


def _lasts(quantity: Quantity) -> bool:
    """Whether it keeps its value from one call to the next."""
    return quantity.kind in _LASTING or (quantity.kind == "variable" and not quantity.scope)
