"""Waits for elements of tables beyond the nearest cache, at indices that data decide.

Code outside of loops is priced by its operators, as if its data were near. An element at an index
that was itself read from memory is anywhere in its table: how long it takes is a matter of the
levels over which the table spreads.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from rooflint.ir.equations import ChoiceTerm, OperationTerm, TableAccess, Term, UnknownTerm
from rooflint.program.linking import LinkedFile
from rooflint.program.solver import ProgramSolver
from rooflint.program.terms import in_program
from rooflint.records import NamedTuple

MEMORY_CYCLES: Final = 240.0
"""80 ns at 3 GHz."""
_NO_INDICES: Final[Mapping[int, Term]] = {}


class _CacheLevel(NamedTuple):
    """Bytes up to the end of a level, and cycles that its data take more than those of L1."""

    bytes: int
    cycles: float


LEVELS: Final = (_CacheLevel(2**15, 0.0), _CacheLevel(2**19, 10.0), _CacheLevel(2**24, 36.0))
"""Typical of x86-64 servers: those of ``machines/generic-avx2.yaml``."""


class TableWait(NamedTuple):
    """Cycles that a function waits on a path of a branch, by the position of its result."""

    function: int
    arm: int
    cycles: float


def waiting_cycles(table: int) -> float:
    """For one element anywhere in a table of so many bytes, in a steady state."""
    cycles, before = 0.0, 0
    for level in LEVELS:
        cycles += max(0, min(table, level.bytes) - before) * level.cycles
        before = level.bytes
    cycles += max(0, table - before) * MEMORY_CYCLES
    return cycles / table if table > 0 else 0.0


def table_waits(file: LinkedFile, solver: ProgramSolver) -> Iterator[TableWait]:
    """The waits of a file's functions.

    Elements at indices that the function reads itself wait one after the other; of the others on
    one path, which do not rest on each other, the longest counts.
    """
    longest: dict[tuple[int, int], float] = {}
    for access in file.equations.tables:
        cycles = _cycles(file, solver, access)
        if not cycles:
            continue
        if _reads(access.element):
            yield TableWait(access.function, access.arm, cycles)
        else:
            place = access.function, access.arm
            longest[place] = max(longest.get(place, 0.0), cycles)
    for (function, arm), cycles in longest.items():
        yield TableWait(function, arm, cycles)


def _cycles(file: LinkedFile, solver: ProgramSolver, access: TableAccess) -> float:
    size = solver.term_value(in_program(access.bytes, file.positions, _NO_INDICES)).typical
    if size is None or size <= LEVELS[0].bytes:
        return 0.0
    element = in_program(access.element, file.positions, _NO_INDICES)
    return waiting_cycles(size) if "memory" in solver.term_value(element).unknown else 0.0


def _reads(term: Term) -> bool:
    """Whether a term has an element of memory in it."""
    if isinstance(term, UnknownTerm):
        return term.source == "memory"
    if isinstance(term, OperationTerm):
        return any(map(_reads, term.operands))
    return isinstance(term, ChoiceTerm) and any(map(_reads, term.alternatives))
