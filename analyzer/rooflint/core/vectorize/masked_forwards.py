"""Loads of vector code that find what a store under a mask has just written.

A branch with stores in its arms becomes stores under masks, and what is loaded behind them, or in
the other arm, comes from memory: the lanes that were not stored have their old values there. Cores
forward no part of a store to a load, so that such a load waits until the store has reached the
cache, and so does everything behind it. What both arms load is loaded before them, and what both
store without loading it is selected and stored once.

LLVM takes the arms in reverse post-order: that of the branch's second successor comes first. Where
the first one alone stores, and what follows is under no mask, the other way loads the old value
before the store (GVN).
"""

from collections.abc import Iterable
from typing import TypeAlias

from rooflint.core.code import Code
from rooflint.core.issue.operations import Operations
from rooflint.core.vectorize.conditions import is_steady
from rooflint.ir import Access, Branch, Loop, Node, Poly, Region, Statement, walk
from rooflint.records import NamedTuple

Place: TypeAlias = tuple[str, Poly]


class MaskedForwards(NamedTuple):
    """Loads of an iteration that wait for a store under a mask: ``chained`` of them one after the
    other, each for a store of what the one before has loaded."""

    loads: int = 0
    chained: int = 0


def masked_forwards(own: Loop) -> MaskedForwards:
    """The loads of a loop's body."""
    walk = _MaskedWalk(own)
    walk.visit(own.body, masked=False)
    return MaskedForwards(loads=walk.loads, chained=walk.chained)


def with_masked_forwards(code: Code, own: Loop, operations: Operations) -> Code:
    """Vector ``code`` of a loop, which takes as long as its chain of such loads; as it is on a core
    that states no cycles."""
    size = code.vector.register_bytes
    waits = operations.core.operation("masked_forward", "f64", size)
    if waits is None or waits.latency_cy is None or code.vector.width == 1:
        return code
    found = masked_forwards(own)
    further = (found.loads - found.chained) * sum([use.cy for use in waits.uses])
    least = (found.chained * waits.latency_cy + further) / code.vector.width
    return code._replace(recurrence_cy=max(code.recurrence_cy, least))


class _ArmPlaces(NamedTuple):
    """Places that an arm loads and stores."""

    loaded: set[Place]
    stored: set[Place]


class _MaskedWalk:
    """Statements in their order. ``stored``: places that an arm has stored, with the number of
    loads that the value has waited for; ``known``: those whose value this arm has in a register;
    ``selected``: those that are stored behind both arms; ``early``: those whose old value can be
    loaded before the store.
    """

    def __init__(self, own: Loop) -> None:
        self.own = own
        self.stored: dict[Place, int] = {}
        self.known: set[Place] = set()
        self.selected: set[Place] = set()
        self.early: set[Place] = set()
        self.loads = self.chained = 0

    def visit(self, nodes: Iterable[Node], masked: bool) -> None:
        for node in nodes:
            if isinstance(node, Statement):
                self.statement(node, masked)
            elif isinstance(node, Branch):
                self.branch(node)
            elif isinstance(node, Region):
                self.visit(node.body, masked)

    def branch(self, branch: Branch) -> None:
        """The arms one after the other; what both begin with is loaded before them."""
        self.statement(branch.condition, masked=False)
        then, orelse = self.places(branch.then), self.places(branch.orelse)
        for place in then.loaded & orelse.loaded:
            self.load(place, masked=True)
        before, selected = set(self.known), set(self.selected)
        self.selected |= (then.stored & orelse.stored) - then.loaded - orelse.loaded
        for arm in (branch.orelse, branch.then):
            self.known = set(before)
            self.visit(arm, masked=True)
        self.selected = selected
        first, second = _stores(branch.then), _stores(branch.orelse)
        self.known = before - first - second
        self.early = (self.early - second) | (first - second)

    def statement(self, statement: Statement, masked: bool) -> None:
        reads = [access for access in statement.accesses if not access.write]
        waited = max([self.load(_place(access), masked) for access in reads], default=0)
        for place in [_place(access) for access in statement.accesses if access.write]:
            self.known.add(place)
            self.stored.pop(place, None)
            if masked and place not in self.selected:
                self.stored[place] = waited

    def places(self, nodes: Iterable[Node]) -> "_ArmPlaces":
        """Of an arm, whatever the data: tests of what stays the same leave loops."""
        loaded: set[Place] = set()
        stored: set[Place] = set()
        for node in nodes:
            if isinstance(node, Statement):
                loaded |= {_place(access) for access in node.accesses if not access.write}
                stored |= {_place(access) for access in node.accesses if access.write}
            elif isinstance(node, Branch) and is_steady(node.condition, self.own):
                then, orelse = self.places(node.then), self.places(node.orelse)
                loaded |= then.loaded | orelse.loaded
                stored |= then.stored & orelse.stored
        return _ArmPlaces(loaded, stored)

    def load(self, place: Place, masked: bool) -> int:
        """How many loads the value has waited for."""
        if place in self.known:
            return self.stored.get(place, 0)
        self.known.add(place)
        if place not in self.stored or (place in self.early and not masked):
            return 0
        self.loads += 1
        waited = self.stored[place] + 1
        self.chained = max(self.chained, waited)
        return waited


def _stores(nodes: tuple[Node, ...]) -> set[Place]:
    statements = [node for node in walk(nodes) if isinstance(node, Statement)]
    return {_place(a) for statement in statements for a in statement.accesses if a.write}


def _place(access: Access) -> Place:
    return access.array, access.offset
