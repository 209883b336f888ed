"""Trip counts and sizes that the source leaves open: ranges by the role that syntax tells.

The ranges come from 747 executed loops of 23 programs with their default inputs: LULESH, HPCG, NPB
CG, LU, FT and IS, XSBench, zlib and 15 kernels of PolyBench. The source decides most of these; the
ranges are of the loops of a role, whether decided or not. CG, LU, FT and IS are those of NPB.
Quartiles are measured too, and moved where they leave the range or do not enclose the typical
value; those of a role that no program or only one has are judged, as its range is.
"""

from enum import Enum, auto
from typing import Final, Literal, TypeAlias

from rooflint.records import NamedTuple

_NO_PROGRAMS: Final = frozenset(("judged", "by definition"))


class RoleRange(NamedTuple):
    """Low, typical and high values of a size, and the programs that they come from.

    ``quartiles`` enclose half of the loops.
    """

    low: int
    quartiles: tuple[int, int]
    typical: int
    high: int
    programs: tuple[str, ...]

    @property
    def measured_programs(self) -> int:
        """How many programs the range was measured in; 0 where it is judged or by definition."""
        return 0 if set(self.programs) & _NO_PROGRAMS else len(self.programs)

    @property
    def points(self) -> tuple[int, int, int, int, int]:
        """All five values, in rising order."""
        lower, upper = self.quartiles
        return self.low, lower, self.typical, upper, self.high


class SizeRole(Enum):
    """Roles of sizes and of loops that nothing counts."""

    LENGTH_PARAMETER = auto()
    PARAMETER = auto()
    LOCAL = auto()
    GLOBAL = auto()
    MEMBER = auto()
    TIME_STEPS = auto()
    INPUT = auto()
    """Blocks of input up to its end, which the user of a program chooses."""
    LINES = auto()
    """Lines of input up to its end: samples of a data set, records of a table."""
    FILE_BYTES = auto()
    """The place of the end of a file: its bytes."""
    ELEMENT = auto()
    EXTENT = auto()
    """Width, height, rows or columns, by name; measured loops of these names were of matrices."""
    CHANNELS = auto()
    BITS = auto()
    """Bits of a code or of an integer, by name."""
    CONTAINER = auto()
    """The number of elements of a container of the library: ``.size()`` and range-for."""
    ROW = auto()
    """From ``p[i]`` to ``p[i+1]``: the row of a sparse matrix."""
    CONDITION = auto()
    """``while`` and ``do`` that no comparison counts."""
    ENDLESS = auto()
    """``for (;;)`` and ``while (1)``, left from inside."""
    TEXT = auto()
    """While a character of a string is none or another one."""
    LIST = auto()
    DOUBLING = auto()
    """An index that is doubled or halved: the logarithm of a size of 16 to a million."""
    ONCE = auto()
    """``do … while (0)`` of a macro."""
    STRIDE = auto()
    LEADING_DIMENSION = auto()
    """``lda`` of BLAS: elements from one row or column to the next, at least the length of one."""
    LOWER_BOUND = auto()
    """The name only makes loops shorter: their other end tells how long they are."""

    @property
    def range(self) -> RoleRange:
        """The values of the role."""
        return _RANGES[self]

    @property
    def is_named(self) -> bool:
        """Whether a name or a pattern tells the role, and not the kind of thing that has it."""
        return self not in _KINDS.values()

    def told_by(self, other: "SizeRole | None") -> bool:
        """Whether the role of what a quantity is a copy of tells more than the quantity's own."""
        if self in (SizeRole.MEMBER, SizeRole.GLOBAL):
            return other is not None and other.is_named
        return self in _UNSPECIFIC

    def __str__(self) -> str:
        """``length parameter``."""
        return self.name.replace("_", " ").lower()


_RANGES: Final[dict[SizeRole, RoleRange]] = {
    role: RoleRange(
        low=points[0],
        quartiles=(points[1], points[3]),
        typical=points[2],
        high=points[4],
        programs=tuple(programs.split(", ")),
    )
    for role, points, programs in (
        (SizeRole.LENGTH_PARAMETER, (40, 190, 250, 500, 6_000),
         "LULESH, HPCG, CG, FT, zlib, PolyBench"),
        (SizeRole.PARAMETER, (8, 31, 32, 128, 128), "LULESH, LU, FT, XSBench, zlib, PolyBench"),
        (SizeRole.LOCAL, (4, 8, 32, 960, 4_000),
         "LULESH, HPCG, CG, LU, FT, IS, XSBench, zlib, PolyBench"),
        (SizeRole.GLOBAL, (16, 31, 32, 33, 7_000), "CG, LU"),
        (SizeRole.MEMBER, (16, 28, 1_000, 100_000, 100_000), "HPCG, XSBench, zlib"),
        (SizeRole.TIME_STEPS, (1, 2, 10, 50, 100), "LULESH, HPCG, CG, LU, FT, PolyBench"),
        (SizeRole.INPUT, (1, 4, 16, 1_000, 10_000), "judged"),
        (SizeRole.LINES, (10, 100, 1_000, 20_000, 1_000_000), "judged"),
        (SizeRole.FILE_BYTES, (1_000, 100_000, 1_000_000, 10_000_000, 100_000_000), "judged"),
        (SizeRole.ELEMENT, (8, 9, 16, 1_000, 1_000), "CG, IS, XSBench"),
        (SizeRole.EXTENT, (32, 128, 500, 2_000, 4_000), "judged"),
        (SizeRole.CHANNELS, (1, 3, 4, 32, 128), "judged"),
        (SizeRole.BITS, (1, 4, 8, 16, 64), "judged"),
        (SizeRole.CONTAINER, (4, 16, 64, 500, 4_000), "judged"),
        (SizeRole.ROW, (4, 9, 27, 73, 100), "CG"),
        (SizeRole.CONDITION, (1, 1, 4, 4, 20), "LULESH, CG, FT, XSBench, zlib"),
        (SizeRole.ENDLESS, (1, 1, 16, 295, 300), "zlib"),
        (SizeRole.TEXT, (1, 2, 8, 64, 64), "LULESH, CG, zlib"),
        (SizeRole.LIST, (1, 2, 5, 16, 64), "judged"),
        (SizeRole.DOUBLING, (4, 7, 10, 14, 20), "judged"),
        (SizeRole.ONCE, (1, 1, 1, 1, 1), "by definition"),
        (SizeRole.STRIDE, (1, 1, 1, 1, 1), "judged"),
        (SizeRole.LEADING_DIMENSION, (40, 190, 250, 500, 6_000), "judged"),
        (SizeRole.LOWER_BOUND, (0, 0, 0, 0, 0), "by definition"),
    )
}  # fmt: skip

NamedKind: TypeAlias = Literal["parameter", "local", "global", "member", "element", "result"]
InputUnit: TypeAlias = Literal["block", "line"]
"""What an iteration of a loop over input reads."""
LoopKind: TypeAlias = Literal[
    "counted",
    "endless",
    "once",
    "text",
    "list",
    "doubling",
    "row",
    "container",
    "stepping",
    "block",
    "line",
    "resuming",
    "other",
]

_LOOPS: Final[dict[LoopKind, SizeRole]] = {
    "endless": SizeRole.ENDLESS,
    "once": SizeRole.ONCE,
    "text": SizeRole.TEXT,
    "list": SizeRole.LIST,
    "doubling": SizeRole.DOUBLING,
    "row": SizeRole.ROW,
    "container": SizeRole.CONTAINER,
    "stepping": SizeRole.TIME_STEPS,
    "block": SizeRole.INPUT,
    "line": SizeRole.LINES,
}
_KINDS: Final[dict[NamedKind, SizeRole]] = {
    "parameter": SizeRole.PARAMETER,
    "local": SizeRole.LOCAL,
    "global": SizeRole.GLOBAL,
    "member": SizeRole.MEMBER,
    "element": SizeRole.ELEMENT,
    "result": SizeRole.LOCAL,
}
_UNSPECIFIC: Final = frozenset((SizeRole.PARAMETER, SizeRole.LOCAL, SizeRole.ELEMENT))
"""Roles that a name has for want of a better one."""
_ROLES_OF_PARTS: Final[dict[str, SizeRole]] = {
    **dict.fromkeys(
        "iter iters iteration iterations niter maxiter step steps nstep nsteps nsteps timesteps"
        " timestep cycle cycles epoch epochs repeat repeats ntimes".split(),
        SizeRole.TIME_STEPS,
    ),
    **dict.fromkeys(
        "width height row rows col cols columns nrow nrows ncol ncols".split(), SizeRole.EXTENT
    ),
    **dict.fromkeys(
        "channel channels nchannels dims ndim ndims components ncomp".split(),
        SizeRole.CHANNELS,
    ),
    **dict.fromkeys("bits nbits numbits nbit bitcount".split(), SizeRole.BITS),
    "stride": SizeRole.STRIDE,
}
_STRIDES: Final = ("inc", "stride")
_RESULTS: Final[dict[str, SizeRole]] = {
    **dict.fromkeys(("size", "length"), SizeRole.CONTAINER),
    **dict.fromkeys("ftell ftello ftello64 ftelli64 lseek lseek64".split(), SizeRole.FILE_BYTES),
}
"""Of functions; what is kept of a place in a file is mostly its end."""
_SET_UP: Final = frozenset(
    "new init initialize initialise create alloc allocate setup free delete destroy dealloc".split()
)
"""Words of the names of functions that make an object, or do away with it."""


def names_set_up(function: str) -> bool:
    """Whether a function makes or frees an object, by a word of its name."""
    return not _SET_UP.isdisjoint(_parts(function))


def role_of_loop(kind: LoopKind) -> SizeRole:
    """The role of a loop whose bounds tell nothing."""
    return _LOOPS.get(kind, SizeRole.CONDITION)


def role_of_name(name: str, kind: NamedKind) -> SizeRole:
    """The role of a size by its name, or else by the kind of thing that has the name."""
    parts = _parts(name)
    plain = "".join(parts)
    # numRows is a number of rows, and nonzerosInRow is none
    head = parts[-1] if "in" not in parts else parts[0]
    for part in (head, plain):
        if part in _ROLES_OF_PARTS:
            return _ROLES_OF_PARTS[part]
    if kind != "result" and (role := _role_of_step(parts[0], plain)) is not None:
        return role
    if kind == "parameter" and _is_length(plain):
        return SizeRole.LENGTH_PARAMETER
    if kind == "result" and plain in _RESULTS:
        return _RESULTS[plain]
    return _KINDS[kind]


def _role_of_step(first: str, plain: str) -> SizeRole | None:
    """A step through an array; BLAS and LAPACK name the array in one or two letters: lda, ldab."""
    if first in _STRIDES or (plain.startswith("inc") and len(plain) <= 4):
        return SizeRole.STRIDE
    if plain.startswith("ld") and len(plain) <= 4:
        return SizeRole.LEADING_DIMENSION
    return None


def _parts(name: str) -> list[str]:
    """``num``, ``rows`` of ``m_numRows`` and of ``num_rows``."""
    spaced = "".join(
        f" {char}" if char.isupper() and not before.isupper() else char
        for before, char in zip(" " + name, name, strict=False)
    )
    parts = spaced.replace("_", " ").lower().partition("[")[0].split()
    return [part for part in parts if part != "m"] or [name]


def _is_length(plain: str) -> bool:
    return plain.startswith(("n", "num", "len")) or plain.endswith(
        ("len", "length", "size", "count")
    )
