"""Remarks of a compiler on the loops of a file: what it vectorised, and why not the others.

gcc writes them with ``-fopt-info`` (GCC manual, "Developer Options"), clang with ``-Rpass`` and its
like (Clang manual, "Options to Emit Optimization Reports"). gcc's place of a loop is its condition,
or that of an outer loop which it vectorised; clang's is the statement.
"""

import os
import tempfile
from collections.abc import Collection, Iterable, Iterator
from enum import Enum
from typing import Final

from rooflint.core.external.build import CompilationUnit, installed_compiler, select_flags
from rooflint.core.external.figures import ExternalFailure
from rooflint.core.external.tools import run_program
from rooflint.records import NamedTuple
from rooflint.startup.late_pattern import late_pattern

GCC_OPTIONS: Final = ("-fopt-info-optimized", "-fopt-info-vec-missed")
_VECTORIZER: Final = "loop-vectorize"
CLANG_OPTIONS: Final = (
    f"-Rpass=^({_VECTORIZER}|slp-vectorizer|loop-unroll|loop-idiom|loop-interchange)$",
    f"-Rpass-missed=^{_VECTORIZER}$",
    f"-Rpass-analysis=^{_VECTORIZER}$",
)
_GCC: Final = late_pattern(r"^(.+?):(\d+):\d+: (optimized|missed):\s+(.+)$")
_CLANG: Final = late_pattern(
    r"^(.+?):(\d+):\d+: remark: (.+) \[-Rpass(-missed|-analysis)?=([\w-]+)\]$"
)
_VECTORS: Final = late_pattern(r"(?:outer )?loop vectorized using|vectorized loop \(")
_CALL: Final = late_pattern(r"split to 0 loops and \d+ library|into a call to|[Ff]ormed a call to")
_UNROLLED: Final = late_pattern(r"iterations completely unrolled|completely unrolled loop")
_EMPTY: Final = late_pattern(
    r"couldn't vectorize loop$|loop not vectorized$|statement clobbers memory|"
    r"loop turned into non-loop|Guard edge"
)
"""Remarks without a reason that a user could act on."""


class LoopFate(Enum):
    """The code that a compiler has made of a loop, by its remarks."""

    VECTORS = "vectors"
    CALL = "a call of a library"
    SCALAR = "scalar code"
    UNROLLED = "straight code"
    SILENT = "nothing said"


class CompilerRemark(NamedTuple):
    """One remark on a line of the file itself; ``applied`` where the compiler changed something."""

    line: int
    applied: bool
    text: str

    @property
    def has_content(self) -> bool:
        """Whether it says more than that a loop is or is not vectorised."""
        return not _EMPTY.search(self.text)


class FileRemarks(NamedTuple):
    """The remarks on a file in the compiler's order; the line with its version, and the flags."""

    compiler: str
    flags: tuple[str, ...]
    remarks: tuple[CompilerRemark, ...]


class LoopRemarks(NamedTuple):
    """The fate of one loop, and the remarks that say so, each once."""

    fate: LoopFate
    remarks: tuple[CompilerRemark, ...]


def compiler_remarks(unit: CompilationUnit) -> FileRemarks | ExternalFailure:
    """Compiles a file in a folder of its own, and keeps nothing but what the compiler remarks."""
    compiler = installed_compiler(unit.compiler)
    if isinstance(compiler, ExternalFailure):
        return compiler
    flags, _ = select_flags(unit.flags)
    asked = (*CLANG_OPTIONS, "-fno-caret-diagnostics", "--") if compiler.is_clang else GCC_OPTIONS
    with tempfile.TemporaryDirectory(prefix="rooflint-") as folder:
        out = os.path.join(folder, "out.s")
        command = (compiler.path, *flags, "-S", "-o", out, "-w", *asked, unit.path)
        answer = run_program(command, folder=folder)
    if isinstance(answer, ExternalFailure):
        return answer
    read = _clang_remarks if compiler.is_clang else _gcc_remarks
    return FileRemarks(compiler.version, tuple(flags), tuple(read(answer.err, unit.path)))


def _gcc_remarks(text: str, path: str) -> Iterator[CompilerRemark]:
    for line in text.splitlines():
        if (m := _GCC.match(line)) and _is_same(m[1], path):
            yield CompilerRemark(int(m[2]), m[3] == "optimized", m[4])


def _clang_remarks(text: str, path: str) -> Iterator[CompilerRemark]:
    for line in text.splitlines():
        if (m := _CLANG.match(line)) and _is_same(m[1], path):
            yield CompilerRemark(int(m[2]), m[4] is None, m[3])


def _is_same(named: str, path: str) -> bool:
    return os.path.normpath(named) == os.path.normpath(path)


def remarks_on(
    remarks: Iterable[CompilerRemark], own: Collection[int], around: Collection[int]
) -> LoopRemarks:
    """Those on the ``own`` lines of a loop, and on the lines ``around`` where outer loops begin.

    A compiler may leave a loop in several versions: one in vectors is what the others guard.
    """
    near = [r for r in remarks if r.line in own or (r.line in around and r.applied)]
    fate = _fate(near)
    # what is refused of a loop in vectors is one of several ways that the compiler tried
    refusals = fate is not LoopFate.VECTORS
    kept = dict.fromkeys([r for r in near if r.has_content and (r.applied or refusals)])
    return LoopRemarks(fate, tuple(kept))


def _fate(remarks: list[CompilerRemark]) -> LoopFate:
    applied = [remark.text for remark in remarks if remark.applied]
    if any(map(_VECTORS.search, applied)):
        return LoopFate.VECTORS
    if any(map(_CALL.search, applied)):
        return LoopFate.CALL
    if not all(remark.applied for remark in remarks):
        return LoopFate.SCALAR
    return LoopFate.UNROLLED if any(map(_UNROLLED.search, applied)) else LoopFate.SILENT
