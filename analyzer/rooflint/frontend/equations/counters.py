"""Counters: quantities that grow in some places and are set to constants in others."""

from rooflint.frontend.equations.bounds import step_size
from rooflint.frontend.equations.position import CodePosition
from rooflint.frontend.equations.terms import TermReader
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir.equations import CounterStep, IntegerTerm, Term


class CounterTable:
    """Collects where the counters of a file change."""

    def __init__(self, position: CodePosition) -> None:
        self._position = position
        self._steps: dict[CounterStep, None] = {}

    def note(self, target: int, step: Term | None) -> None:
        """The quantity grows by ``step`` here; None: it is set to a constant."""
        place = self._position.place
        self._steps[
            CounterStep(
                target=target,
                step=step,
                function=place.function,
                loop=place.loop,
                arm=place.arm,
            )
        ] = None

    @property
    def all_steps(self) -> tuple[CounterStep, ...]:
        """All steps, also those of quantities that never grow."""
        return tuple(self._steps)

    @property
    def count(self) -> int:
        """How many steps there are so far."""
        return len(self._steps)


def growth(reader: TermReader, tree: SyntaxTree, place: int) -> Term | None:
    """The size of ``x++``, ``x += size`` and ``x = x + size``, and of ``x--`` and ``x -= 2``; None
    where nothing is added."""
    step = step_size(reader, tree, place)
    if isinstance(step, IntegerTerm):
        return step if step.value else None
    return None if _subtracts(reader, tree) else step


def _subtracts(reader: TermReader, tree: SyntaxTree) -> bool:
    """``x -= size`` and ``x = x - size``."""
    operator = reader.clang.getCursorBinaryOperatorKind
    if tree.kind == kinds.COMPOUND_ASSIGN:
        return kinds.COMPOUND_NAMES.get(operator(tree.cursor)) == "sub"
    return (
        tree.kind == kinds.BINARY
        and kinds.BINARY_NAMES.get(operator(tree.children[-1].cursor)) == "sub"
    )
