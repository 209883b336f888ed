"""Positions in a file's equations after those of one function changed."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from rooflint.ir.equations import (
    BranchTest,
    ChoiceTerm,
    ComparisonTerm,
    IndexTerm,
    OperationTerm,
    QuantityTerm,
    Term,
)

EquationRecord = TypeVar("EquationRecord", bound=Struct)


class Renumbering:
    """New positions of quantities, and how far those of loops and branches move."""

    def __init__(self, quantities: Callable[[int], int], loops: int, branches: int) -> None:
        self._quantities = quantities
        self._loops = loops
        self._branches = branches

    def record(self, record: EquationRecord) -> EquationRecord:
        """The record with new positions."""
        return replace(record, **self._changed(record))

    def _changed(self, record: Any) -> Mapping[str, object]:  # noqa: ANN401 - any kind of record
        fields = record.__struct_fields__
        return {
            name: _FIELDS[name](self, getattr(record, name)) for name in fields if name in _FIELDS
        }

    def quantity(self, position: int) -> int:
        """The new position of a quantity; -1 is none."""
        return self._quantities(position) if position >= 0 else position

    def quantities(self, positions: tuple[int, ...]) -> tuple[int, ...]:
        """The new positions of several."""
        return tuple(map(self.quantity, positions))

    def loop(self, position: int) -> int:
        """The new position of a loop; -1 is none."""
        return position + self._loops if position >= 0 else position

    def arm(self, arm: int) -> int:
        """The new number of a path of a branch; -1 is none."""
        return arm + 2 * self._branches if arm >= 0 else arm

    def term(self, term: Term | None) -> Term | None:
        """A term over the new positions."""
        return None if term is None else self._term(term)

    def _term(self, term: Term) -> Term:
        if isinstance(term, QuantityTerm):
            return QuantityTerm(self.quantity(term.position))
        if isinstance(term, IndexTerm):
            return IndexTerm(self.loop(term.loop))
        if isinstance(term, OperationTerm):
            return OperationTerm(term.operator, tuple(map(self._term, term.operands)))
        if isinstance(term, ChoiceTerm):
            return ChoiceTerm(tuple(map(self._term, term.alternatives)))
        if isinstance(term, ComparisonTerm):
            return ComparisonTerm(self._term(term.left), term.relation, self._term(term.right))
        return term

    def tests(self, tests: tuple[BranchTest, ...]) -> tuple[BranchTest, ...]:
        """Comparisons over the new positions."""
        return tuple(
            [
                BranchTest(
                    left=self._term(each.left),
                    relation=each.relation,
                    right=self._term(each.right),
                )
                for each in tests
            ]
        )


_FIELDS: Final[Mapping[str, Callable[[Renumbering, Any], object]]] = {
    **dict.fromkeys(
        ("target", "result", "quantity", "function", "caller", "callee", "receiver"),
        Renumbering.quantity,
    ),
    **dict.fromkeys(("parameters", "variables", "members", "overrides"), Renumbering.quantities),
    **dict.fromkeys(("loop", "parent"), Renumbering.loop),
    **dict.fromkeys(
        ("term", "lower", "upper", "step", "length", "count", "bytes", "element"), Renumbering.term
    ),
    "arm": Renumbering.arm,
    "tests": Renumbering.tests,
}
"""How the fields of records refer to others."""
