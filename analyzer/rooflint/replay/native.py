"""The compiled replay, called once per function; ``portable`` is the same without a compiler."""

import ctypes
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from rooflint.replay.caches import (
    COLUMNS,
    LoopPieces,
    ReplayCounts,
    ReplayLevel,
    ReplaySettings,
    ReplayStatus,
)
from rooflint.replay.program import AccessProgram

LIBRARY_NAMES: Final = ("_kernel.so", "_kernel.dylib", "_kernel.dll")
LAYOUT: Final = 4
"""Of programs, settings and counters, as ``kernel.c`` has it: raised with each change of one."""
_Pointer: Final = ctypes.POINTER(ctypes.c_int64)


@cache
def library() -> ctypes.CDLL | None:
    """The kernel beside this module; None where there is none, or one of another layout."""
    for name in LIBRARY_NAMES:
        path = Path(__file__).with_name(name)
        if path.is_file():
            try:
                found = ctypes.CDLL(str(path))
                layout = ctypes.c_int.in_dll(found, "rooflint_replay_layout").value
            except (OSError, ValueError):
                return None
            if layout != LAYOUT:
                return None
            found.rooflint_replay.restype = ctypes.c_int
            return found
    return None


def replay(
    program: AccessProgram,
    levels: Sequence[ReplayLevel],
    settings: ReplaySettings,
    kernel: ctypes.CDLL,
) -> ReplayCounts:
    """Counts of a program on caches that are empty at its first run."""
    references = max(1, len(program.references))
    parts = (settings.runs * settings.banks + 1) * settings.halves
    counters = array("q", bytes(8 * parts * len(levels) * references * COLUMNS))
    shapes = [part for each in levels for part in (each.sets, each.ways, int(each.policy))]
    head = (
        program.root,
        settings.line_bytes.bit_length() - 1,
        settings.limit,
        settings.runs,
        settings.between_lines,
        settings.modulus,
        settings.halves,
        settings.banks,
        len(settings.classes),
        *settings.classes,
        len(settings.windows),
        *_flat(settings.windows),
    )
    work = array("q", [0])
    kinds = [int(each.kind) for each in program.references] or [0]
    widths = [each.bytes for each in program.references] or [1]
    code = program.code if isinstance(program.code, array) else array("q", program.code)
    status = kernel.rooflint_replay(
        _address(code),
        ctypes.c_int64(len(code)),
        ctypes.c_int64(program.slots),
        _address(array("q", head)),
        _address(array("q", shapes)),
        ctypes.c_int64(len(levels)),
        _address(array("q", kinds)),
        _address(array("q", widths)),
        ctypes.c_int64(references),
        _address(counters),
        _address(work),
    )
    return ReplayCounts(
        status=ReplayStatus(status),
        work=work[0],
        levels=len(levels),
        references=references,
        counters=counters,
        halves=settings.halves,
        banks=settings.banks,
    )


def _flat(windows: Iterable[LoopPieces]) -> Iterator[int]:
    for loop in windows:
        yield from (loop.node, loop.trips, len(loop.pieces))
        for piece in loop.pieces:
            yield from (piece.begin, piece.end, piece.bank, int(piece.empties))


def _address(numbers: "array[int]") -> object:
    return (ctypes.c_int64 * len(numbers)).from_buffer(numbers)
