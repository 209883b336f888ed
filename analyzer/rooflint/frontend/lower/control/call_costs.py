"""Cycles of calls whose body does not stand in their place: of the library, or by their body.

The body of a function is summed up from its tree: operators at the rate of ordinary scalar code,
branches by half, loops at typical trips, calls at their own cost. Paths that never return do not
count. A function that calls what nobody knows has a lower bound; one that calls itself has none.
"""

from typing import Final

from rooflint.frontend.lower.control.no_return import never_returns
from rooflint.frontend.lower.state.shared import Decl, TranslationUnitContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree, size_of
from rooflint.ir import CallCost
from rooflint.ir.library_calls import COPIES, CYCLES, MATHEMATICAL, SMALL_COPY_BYTES

CALL_CYCLES: Final = 5.0
"""There and back with a few instructions in between, as ``core.libm.UNKNOWN_CALL_CYCLES``."""
OPERATOR_CYCLES: Final = 0.5
"""Two operators a cycle: about the rate of scalar code with branches whose data are in the nearest
cache; zlib and SQLite retire 2 to 2.5 instructions a cycle on x86 servers."""
MATHEMATICAL_CYCLES: Final = 20.0
"""The median of the mathematical functions of ``core.libm``."""
BRANCH_SHARE: Final = 0.5
"""P(then) of a branch without a pattern, from 747 loops of 23 programs."""
TRIPS: Final = {kinds.FOR: 32.0, kinds.WHILE: 4.0, kinds.DO: 4.0, kinds.RANGE_FOR: 64.0}
"""Typical trips by the form of the loop, from the same programs: a bound that is a local variable,
another condition, and the elements of a container."""
MAX_TREE: Final = 4000
"""Cursors of a body that is summed up."""
_OPERATORS: Final = frozenset(
    (kinds.BINARY, kinds.UNARY, kinds.COMPOUND_ASSIGN, kinds.SUBSCRIPT, kinds.MEMBER_REF)
)
_UNKNOWN: Final = frozenset((kinds.ASM, kinds.MS_ASM, kinds.GOTO, kinds.INDIRECT_GOTO))


def library_cost(name: str, length: int | None) -> CallCost | None:
    """The cost of a function of the C library; ``length``: bytes that a copy moves, if constant."""
    plain = name.removeprefix("__builtin_")
    copying = COPIES.get(plain)
    if copying is not None:
        return CallCost(copying, length is not None and length <= SMALL_COPY_BYTES)
    cycles = CYCLES.get(name, CYCLES.get(plain))
    if cycles is None and plain in MATHEMATICAL:
        cycles = MATHEMATICAL_CYCLES
    return None if cycles is None else CallCost(cycles)


def body_cost(unit: TranslationUnitContext, callee: Decl) -> CallCost | None:
    """The cost of a function by its body; None where it has none here, or calls itself."""
    costs = unit.callees.costs
    if callee.key in costs:
        return costs[callee.key]
    unit.callees.note_cost(callee.key, None)  # for one that calls itself
    cost = _body_cost(unit, callee)
    unit.callees.note_cost(callee.key, cost)
    return cost


def _body_cost(unit: TranslationUnitContext, callee: Decl) -> CallCost | None:
    if callee.kind not in kinds.CALLABLE and callee.kind != kinds.CONSTRUCTOR:
        return None
    definition = unit.clang.getCursorDefinition(callee.cursor)
    if not definition.d0 or unit.clang.CXXMethod_isVirtual(definition):
        return None
    tree = unit.tree(definition)
    body = tree.children[-1] if tree.children else tree
    if body.kind != kinds.COMPOUND or size_of(tree, MAX_TREE) >= MAX_TREE:
        return None
    cycles, complete = _CostSum(unit).of(body)
    return CallCost(CALL_CYCLES + cycles, complete and not unit.traits.broken)


class _CostSum:
    """Cycles of statements and expressions, and whether they are all of them."""

    def __init__(self, unit: TranslationUnitContext) -> None:
        self._unit = unit

    def of(self, tree: SyntaxTree) -> tuple[float, bool]:
        kind = tree.kind
        if kind in (kinds.IF, kinds.CONDITIONAL):
            return self._branch(tree)
        if kind == kinds.CALL:
            return self._call(tree)
        if kind == kinds.LAMBDA:
            return 0.0, True
        cycles, complete = self._all(tree.children)
        if kind in TRIPS:
            return cycles * TRIPS[kind], complete
        return cycles + OPERATOR_CYCLES * (kind in _OPERATORS), complete and kind not in _UNKNOWN

    def _all(self, trees: list[SyntaxTree]) -> tuple[float, bool]:
        parts = [self.of(tree) for tree in trees]
        return sum(cycles for cycles, _ in parts), all(complete for _, complete in parts)

    def _branch(self, tree: SyntaxTree) -> tuple[float, bool]:
        """The condition, and half of each arm; nothing of an arm that never returns."""
        cycles, complete = self._all(tree.children[:-2] or tree.children[:1])
        arms = tree.children[-2:] if len(tree.children) > 2 else tree.children[1:]
        for arm in arms:
            if not ends_program(self._unit, arm):
                more, whole = self.of(arm)
                cycles, complete = cycles + BRANCH_SHARE * more, complete and whole
        return cycles + OPERATOR_CYCLES, complete

    def _call(self, tree: SyntaxTree) -> tuple[float, bool]:
        callee = self._unit.referenced(tree.cursor)
        cycles, complete = self._all(tree.children)
        cost = body_cost(self._unit, callee) or library_cost(callee.name, None)
        if cost is None:
            return cycles + CALL_CYCLES, False
        return cycles + cost.cycles, complete and cost.complete


def ends_program(unit: TranslationUnitContext, path: SyntaxTree) -> bool:
    """Whether a statement or an expression calls a function that never returns, or throws."""
    if path.kind == kinds.THROW:
        return True
    if path.kind == kinds.CALL and never_returns(unit, unit.referenced(path.cursor)):
        return True
    if path.kind in (kinds.COMPOUND, kinds.BINARY) or path.kind in kinds.CASTS:
        return any(ends_program(unit, child) for child in path.children)
    return False
