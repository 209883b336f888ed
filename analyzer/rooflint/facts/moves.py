"""Elements that only change places: what a transposition and a swap do, and a copy does not."""

from collections.abc import Iterable

from rooflint.ir import Access, Loop, Poly, Statement
from rooflint.records import NamedTuple


class Move(NamedTuple):
    """A store of what a load found, unchanged."""

    source: Access
    target: Access


def exchanged_elements(loops: tuple[Loop, ...], statements: Iterable[Statement]) -> int:
    """How many elements an iteration puts in another's place; two of them are one exchange.

    All that an iteration does must be moves, each from and to a place that the own loop changes.
    They exchange when together they store where they load (a swap), or when the loop that walks
    the lines of the source is not the one that walks those of the target (a transposition).
    Otherwise 0: copies, shifts, fills and packing count the bytes they move.
    """
    found = moves_of(statements)
    if not all(_along(move, loops[-1]) for move in found):
        return 0
    sources = [(move.source.array, move.source.offset) for move in found]
    targets = [(move.target.array, move.target.offset) for move in found]
    if min(len(set(sources)), len(set(targets))) < len(found):
        return 0
    swapped = set(sources) == set(targets) and sources != targets
    return len(found) if swapped or all(_transposes(move, loops) for move in found) else 0


def moves_of(statements: Iterable[Statement]) -> tuple[Move, ...]:
    """The moves of one iteration, through scalars too; none unless they are all it does."""
    found: list[Move] = []
    scalars: dict[str, Access | None] = {}
    loads = 0
    for statement in statements:
        held: list[Access | None] = []
        for value in statement.values:
            source: Access | None = None
            if value.op == "load":
                source = statement.accesses[value.access]
                loads += 1
            elif value.op == "scalar":
                source = scalars.get(value.name)
            elif value.op == "assign":
                source = scalars[value.name] = held[value.args[0]]
            elif value.op == "store":
                moved = held[value.args[0]]
                if moved is None:
                    return ()
                found.append(Move(moved, statement.accesses[value.access]))
            elif value.op not in ("const", "index"):
                return ()
            held.append(source)
    return tuple(found) if loads == len(found) else ()


def _along(move: Move, loop: Loop) -> bool:
    return all(loop.index in access.offset.names() for access in move)


def _transposes(move: Move, loops: tuple[Loop, ...]) -> bool:
    walks = [_walking(access, loops) for access in move]
    return walks[0] != walks[1] and None not in walks


def _walking(access: Access, loops: tuple[Loop, ...]) -> str | None:
    """The index that takes the smallest steps; None unless two move the access, each its own way.
    Indices of equal steps reach an element more than once: ``c[i - j]`` fills diagonals."""
    steps: dict[tuple[int, int], str] = {}
    for loop in loops:
        step = access.offset.coefficient(loop.index)
        if step is None or (step and _size(step) in steps):
            return None
        if step:
            steps[_size(step)] = loop.index
    return steps[min(steps)] if len(steps) > 1 else None


def _size(step: Poly) -> tuple[int, int]:
    """Of a step with open sizes, how many of them are multiplied; then the factor."""
    return max((len(monomial), abs(factor)) for monomial, factor in step.terms.items())
