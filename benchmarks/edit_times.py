"""What the benchmarks of edits share: their flags and their clock."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.compile_flags.flags import Flags

Answer = TypeVar("Answer")


def flags_of(path: str | Path, flags: Sequence[str]) -> Flags:
    """The flags of a file that gcc compiles with -O3 and these."""
    return FlagFinder(extra=["gcc", "-O3", *flags]).flags(str(path))


def timed(work: Callable[[], Answer]) -> tuple[Answer, float]:
    """The answer of the work, and its processor time in seconds."""
    start = time.process_time()
    return work(), time.process_time() - start
