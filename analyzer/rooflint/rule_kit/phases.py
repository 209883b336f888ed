"""Code of a parallel region between two barriers, and the threads that execute it."""

from collections.abc import Iterator
from enum import Enum, auto
from itertools import permutations
from typing import Final

from rooflint.ir import Branch, Function, Loop, Node, Region, children, walk
from rooflint.records import NamedTuple
from rooflint.rule_kit.openmp import clause
from rooflint.rule_kit.sharing import ProtectedStatement, is_alone, protected_statements
from rooflint.transform.nest.scalars import assigned_scalars


class Executors(Enum):
    """Which threads of a team execute a piece of code."""

    ALL = auto()
    MAIN = auto()
    ONE = auto()
    SHARED = auto()


EXECUTORS: Final = {
    "master": Executors.MAIN,
    "masked": Executors.MAIN,
    "single": Executors.ONE,
    "for": Executors.SHARED,
    "sections": Executors.SHARED,
}
WAITS: Final = frozenset((Executors.ONE, Executors.SHARED))
"""A barrier follows their code, unless ``nowait`` says no."""


ALONE: Final = frozenset((Executors.MAIN, Executors.ONE))
"""Those of which there is one at a time."""


class TeamCode(NamedTuple):
    """A piece of code right in a parallel region, its statements and who executes it."""

    node: Node
    executors: Executors
    statements: tuple[ProtectedStatement, ...]


class Phase(NamedTuple):
    """Code that may run at once: code between two barriers, inside ``regions``, outermost first."""

    regions: tuple[Region, ...]
    pieces: tuple[TeamCode, ...]


def phases_of(function: Function) -> Iterator[Phase]:
    """The phases of all parallel regions of a function, up to code whose executors are unknown."""
    yield from _phases(function.body, ())


def _phases(nodes: tuple[Node, ...], regions: tuple[Region, ...]) -> Iterator[Phase]:
    for node in nodes:
        inside = (*regions, node) if isinstance(node, Region) else regions
        if isinstance(node, Region) and node.kind == "parallel" and not any(map(is_alone, inside)):
            yield from [Phase(inside, pieces) for pieces in _pieces(node.body)]
        yield from _phases(children(node), inside)


def _pieces(nodes: tuple[Node, ...]) -> Iterator[tuple[TeamCode, ...]]:
    pieces: list[TeamCode] = []
    for node in nodes:
        if isinstance(node, Branch) and not _has_regions(node):
            continue  # one of its arms may be for one thread
        executors = _executors(node)
        if executors is not None:
            pieces.append(TeamCode(node, executors, tuple(protected_statements((node,)))))
        elif not (isinstance(node, Region) and node.kind == "barrier"):
            break
        if _is_waited_for(node, executors):
            yield tuple(pieces)
            pieces = []
    yield tuple(pieces)


def _is_waited_for(node: Node, executors: Executors | None) -> bool:
    hurries = isinstance(node, Region) and clause(node, "nowait") is not None
    return executors is None or (executors in WAITS and not hurries)


def _executors(node: Node) -> Executors | None:
    """Of a piece of code; None of a barrier, and where nobody knows."""
    if isinstance(node, Region):
        return EXECUTORS.get(node.kind.split()[0])
    return None if _has_regions(node) else Executors.ALL


def _has_regions(node: Node) -> bool:
    return any(isinstance(each, Region) for each in walk((node,)))


class PhaseChange(NamedTuple):
    """A variable that these threads change, and the node where others, or they, use it."""

    name: str
    executors: Executors
    origin: int


def changes_by_all(phase: Phase) -> Iterator[PhaseChange]:
    """Variables and elements that all threads of a team set at once."""
    for piece in [each for each in phase.pieces if each.executors is Executors.ALL]:
        yield from _certain_elements(piece)
        for each in piece.statements:
            for name in () if each.conditions else assigned_scalars((each.statement,)):
                yield PhaseChange(name, Executors.ALL, each.statement.origin)


def changes_by_one(phase: Phase) -> Iterator[PhaseChange]:
    """Scalars that one thread sets while others use them."""
    for one, other in permutations(phase.pieces, 2):
        if one.executors in ALONE and other.executors not in ALONE:
            for name in assigned_scalars([each.statement for each in one.statements]):
                for use in other.statements:
                    if use.touches(name):
                        yield PhaseChange(name, one.executors, use.statement.origin)


def _certain_elements(code: TeamCode) -> Iterator[PhaseChange]:
    """Arrays in which all threads surely store the same elements."""
    indices = _counted_indices(code.node) if isinstance(code.node, Loop) else None
    if indices is None:
        return
    for each in code.statements:
        for access in () if each.conditions else each.statement.accesses:
            if access.write and not access.offset.unknowns() and access.offset.names() <= indices:
                yield PhaseChange(access.array, Executors.ALL, each.statement.origin)


def _counted_indices(loop: Loop) -> frozenset[str] | None:
    """The indices of a nest whose bounds the source tells; None of others."""
    loops = [node for node in walk((loop,)) if isinstance(node, Loop)]
    bounds = [bound for each in loops for bound in (each.lower, each.upper)]
    if any(bound.value is None for bound in bounds):
        return None
    return frozenset(each.index for each in loops)
