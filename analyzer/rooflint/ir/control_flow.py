"""Control-flow graphs of bodies that have several exits, forward ``goto`` or ``switch``.

A graph describes the body of a function, or one iteration of a loop. Its parts refer to spans of
the source by origins, which take no part in equality: moving lines changes no graph.
"""

from collections.abc import Iterable
from typing import Literal, TypeAlias

from rooflint.ir.located import LocatedNode
from rooflint.records import NamedTuple

EdgeKind: TypeAlias = Literal[
    "next", "true", "false", "case", "default", "back", "jump", "exception"
]
"""``next``: falls through. ``back``: to the next iteration of a loop inside the body. ``jump``: a
``goto``, ``break`` or ``continue`` that stays inside the body. ``exception``: to a handler."""
ExitKind: TypeAlias = Literal["end", "break", "return", "goto", "throw", "no-return"]
"""``end``: the end of the body, behind which a loop's next iteration begins. ``no-return``: a call
of a function that never returns. The others are statements that leave the body."""
BodyForm: TypeAlias = Literal["function", "loop"]
BlockRole: TypeAlias = Literal["always", "sometimes", "exit-path", "unreachable"]
"""``always``: runs whenever the body runs to completion; ``sometimes``: on some of those ways;
``exit-path``: only where control leaves the body for good; ``unreachable``: never."""
ConditionPattern: TypeAlias = Literal[
    "zero",
    "nonzero",
    "equal",
    "unequal",
    "negative",
    "ordered",
    "at-end",
    "before-end",
    "debug",
    "case",
    "other",
]
"""``at-end`` and ``before-end``: by the order of a pointer and the end of its buffer, or by one of
several conditions that is such; ``debug``: a flag of debugging, logging or timing;
``case``: one of the ways of a ``switch``."""
PathPattern: TypeAlias = Literal[
    "no-return", "return", "leaves-loop", "next-iteration", "reports-error", "goes-on"
]
"""``reports-error``: writes to ``stderr``, and goes on."""


class BranchPattern(NamedTuple):
    """Of which form a branch is; ``orelse`` is None where it has no other path.

    ``ways``: those of a ``switch`` that are left to take.
    """

    condition: ConditionPattern
    then: PathPattern
    orelse: PathPattern | None = None
    ways: int = 2


class FlowEdge(LocatedNode, frozen=True, array_like=True):
    """Control may pass from the block ``source`` to the block ``target``.

    ``condition`` is the origin of what decides on it; -1 where nothing does.
    """

    source: int
    target: int
    kind: EdgeKind
    condition: int = -1


class FlowBlock(LocatedNode, frozen=True, array_like=True):
    """Statements that run one after another, by their ``origins``.

    ``exit``: how control leaves the body behind them; None where edges lead on.
    """

    exit: ExitKind | None = None
    origins: tuple[int, ...] = ()


class ControlFlowGraph(NamedTuple):
    """The flow of control through one body, which begins in block 0.

    ``form``: whether it is the body of a function or one iteration of a loop, whose index is
    ``loop`` in the second case.
    """

    form: BodyForm
    loop: str
    blocks: tuple[FlowBlock, ...]
    edges: tuple[FlowEdge, ...]

    def roles(self) -> tuple[BlockRole, ...]:
        """The role of each block in the executions that run to completion."""
        completing = self.completing()
        reached = self._reached((0,))
        return tuple([self._role(b, reached, completing) for b in range(len(self.blocks))])

    def completing(self) -> frozenset[int]:
        """Blocks from which the body can run to completion: the others only lead out of it."""
        return self._reached(self._ends(), backward=True)

    def post_dominates(self, later: int, earlier: int) -> bool:
        """Whether every way from ``earlier`` to completion leads through ``later``."""
        ends = self._reached((earlier,)).intersection(self._ends())
        return bool(ends) and not self._reached((earlier,), without=later).intersection(ends)

    def _role(self, block: int, reached: frozenset[int], completing: frozenset[int]) -> BlockRole:
        if block not in reached:
            return "unreachable"
        if block not in completing:
            return "exit-path"
        return "always" if self.post_dominates(block, 0) else "sometimes"

    def _ends(self) -> list[int]:
        """Blocks behind which the body is complete; a function's body is by ``return`` too."""
        completion = ("end", "return") if self.form == "function" else ("end",)
        return [number for number, block in enumerate(self.blocks) if block.exit in completion]

    def _reached(
        self, starts: Iterable[int], without: int = -1, backward: bool = False
    ) -> frozenset[int]:
        """Blocks that ways lead to from ``starts``, themselves included, past ``without``."""
        onward: dict[int, list[int]] = {}
        for edge in self.edges:
            source, target = (edge.target, edge.source) if backward else (edge.source, edge.target)
            onward.setdefault(source, []).append(target)
        waiting = [block for block in starts if block != without]
        reached = set(waiting)
        while waiting:
            fresh = {b for b in onward.get(waiting.pop(), ()) if b != without} - reached
            reached |= fresh
            waiting += fresh
        return frozenset(reached)
