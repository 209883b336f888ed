"""The equations of a file with those of one function in place of its earlier ones."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from rooflint.frontend.edited.records import EquationParts
from rooflint.frontend.edited.renumbering import EquationRecord, Renumbering
from rooflint.frontend.equations.collected import (
    CollectedEquations,
    FunctionPart,
    PartMarks,
    growing_steps,
    joined_ends,
    with_elements,
)
from rooflint.ir import Comment
from rooflint.ir.equations import DefinedFunction, Equations

_KINDS: Final = (
    "equations", "accessors", "functions", "loops", "calls", "branches", "pointer_calls",
    "addresses", "pointer_flows", "work", "tables",
)  # fmt: skip
"""Records of ``Equations`` of which each function has a range, by their name in ``PartMarks``."""


class FunctionEquations:
    """The equations of one function that was read by itself, at its place among the others."""

    def __init__(self, before: Equations, parts: EquationParts, number: int) -> None:
        self._before = before
        self._parts = parts
        self._number = number
        self._begin, self._end = parts.range_of(number)

    def others(self) -> Equations:
        """The equations of the other functions, at the places where they stood."""
        return replace(self._before, **{kind: self._cut(kind) for kind in _KINDS})

    def _cut(self, kind: str) -> tuple[object, ...]:
        records: tuple[object, ...] = getattr(self._before, kind)
        begin, end = getattr(self._begin, kind), getattr(self._end, kind)
        return records[:begin] + records[end : getattr(self._parts.end, kind)]

    def with_function(
        self, others: Equations, own: CollectedEquations, comments: tuple[Comment, ...]
    ) -> "tuple[Equations, EquationParts] | None":
        """The equations of the file; None where those of other functions may change too.

        ``others``: without the function's earlier ones, on the lines where they are now.
        """
        splice = _Splice(self._before, self._parts, self._number, own)
        numbering = splice.numbering()
        if numbering is None:
            return None
        first, later = numbering
        made = own.statements(())
        joined: dict[str, object] = {}
        for kind in _KINDS:
            begin = getattr(self._begin, kind)
            records, inner = getattr(others, kind), getattr(made, kind)
            if kind == "functions":
                inner = splice.with_own_variables(inner)
            rest = records[begin:] if later is None else _translated(later, records[begin:])
            joined[kind] = (*records[:begin], *_translated(first, inner), *rest)
        parts = splice.parts(first, later)
        equations = replace(
            others,
            quantities=splice.quantities(),
            counters=growing_steps(parts.steps),
            upper_ends=joined_ends(parts.parts),
            comments=comments,
            **joined,
        )
        return with_elements(equations), parts


def _translated(
    numbering: Renumbering, records: Iterable[EquationRecord]
) -> tuple[EquationRecord, ...]:
    return tuple(map(numbering.record, records))


class _Splice:
    """Where the records of one function lie, before and now."""

    def __init__(
        self, before: Equations, parts: EquationParts, number: int, own: CollectedEquations
    ) -> None:
        self._old = before.quantities
        self._parts = parts
        self._number = number
        self._own = own
        self._begin, self._end = parts.range_of(number)
        (self._part,) = own.parts
        self._positions = {each.key: place for place, each in enumerate(self._old)}
        begin = self._begin.quantities
        mentioned = [own.table.quantities[place] for place in sorted(self._part.mentioned)]
        self._fresh = [each for each in mentioned if self._positions.get(each.key, begin) >= begin]

    def quantities(self) -> tuple[object, ...]:
        begin, end = self._begin.quantities, self._end.quantities
        return (*self._old[:begin], *self._fresh, *self._old[end:])

    def numbering(self) -> tuple[Renumbering, Renumbering | None] | None:
        """New positions of the function's records, and of those behind it where they change; None
        where other functions would be the first to speak of a quantity."""
        begin, end = self._begin.quantities, self._end.quantities
        kept = {each.key: begin + place for place, each in enumerate(self._fresh)}
        if self._is_shared(kept) or self._is_renamed():
            return None
        own = self._own.table.quantities

        def of_function(position: int) -> int:
            key = own[position].key
            found = kept.get(key)
            return self._positions[key] if found is None else found

        first = Renumbering(of_function, self._begin.loops, self._begin.branches)
        marks = self._own.marks()
        added = len(self._fresh) - (end - begin)
        loops = marks.loops - (self._end.loops - self._begin.loops)
        branches = marks.branches - (self._end.branches - self._begin.branches)
        same = [each.key for each in self._fresh] == [q.key for q in self._old[begin:end]]
        if same and not (loops or branches):
            return first, None

        def of_later(position: int) -> int:
            if position < begin:
                return position
            return position + added if position >= end else kept[self._old[position].key]

        return first, Renumbering(of_later, loops, branches)

    def _is_shared(self, kept: dict[str, int]) -> bool:
        """Whether a quantity that comes or goes is one that functions behind this one speak of."""
        begin, end = self._begin.quantities, self._end.quantities
        if any(self._positions.get(each.key, begin) >= end for each in self._fresh):
            return True
        lost = [p for p in range(begin, end) if self._old[p].key not in kept]
        later = self._parts.parts[self._number + 1 :]
        return bool(lost) and any(not each.mentioned.isdisjoint(lost) for each in later)

    def _is_renamed(self) -> bool:
        """Whether a loop's index is called otherwise where it was first spoken of, as a parameter
        may be."""
        own = self._own.table.quantities
        old = [
            (each, self._old[self._positions[each.key]])
            for each in own
            if each.key in self._positions
        ]
        begin = self._begin.quantities
        names = {e.name for e, w in old if e.name != w.name and self._positions[e.key] < begin}
        return any(loop.index in names for loop in self._own.loops)

    def with_own_variables(
        self, functions: Sequence[DefinedFunction]
    ) -> tuple[DefinedFunction, ...]:
        """Without the variables that other functions speak of first."""
        fresh = {each.key for each in self._fresh}
        own = self._own.table.quantities
        return tuple(
            [
                replace(each, variables=tuple([v for v in each.variables if own[v].key in fresh]))
                for each in functions
            ]
        )

    def parts(self, first: Renumbering, later: Renumbering | None) -> EquationParts:
        """Where the parts of all functions begin now."""
        own = self._own.marks()
        begin, end = self._begin, self._end
        made = own._replace(quantities=len(self._fresh))
        ends = PartMarks._make([b + m for b, m in zip(begin, made, strict=True)])
        move = _moved_marks(end, ends)
        part = FunctionPart(
            function=0,
            marks=begin,
            ends=_translated(first, self._part.ends),
            mentioned=frozenset(map(first.quantity, self._part.mentioned)),
        )
        old = self._parts
        behind = [_moved_part(each, move, later) for each in old.parts[self._number + 1 :]]
        rest = old.steps[end.steps :]
        return EquationParts(
            parts=(*old.parts[: self._number], part, *behind),
            owners=old.owners,
            end=move(old.end),
            steps=(
                *old.steps[: begin.steps],
                *_translated(first, self._own.counters.all_steps),
                *(rest if later is None else _translated(later, rest)),
            ),
        )


def _moved_marks(before: PartMarks, now: PartMarks) -> Callable[[PartMarks], PartMarks]:
    added = [n - b for b, n in zip(before, now, strict=True)]
    return lambda marks: PartMarks._make([m + a for m, a in zip(marks, added, strict=True)])


def _moved_part(
    part: FunctionPart, move: Callable[[PartMarks], PartMarks], later: Renumbering | None
) -> FunctionPart:
    part = part._replace(marks=move(part.marks))
    if later is None:
        return part
    return part._replace(
        ends=_translated(later, part.ends),
        mentioned=frozenset(map(later.quantity, part.mentioned)),
    )
