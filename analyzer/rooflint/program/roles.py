"""Trip counts and sizes that the source leaves open: ranges by the role that syntax tells.

The ranges come from 747 executed loops of 23 programs with their default inputs: LULESH, HPCG, NPB
CG, LU, FT and IS, XSBench, zlib and 15 kernels of PolyBench. The source decides most of these; the
ranges are of the loops of a role, whether decided or not. CG, LU, FT and IS are those of NPB.
"""

from enum import Enum, auto
from typing import Final, Literal, TypeAlias

from rooflint.records import NamedTuple


class RoleRange(NamedTuple):
    """Low, typical and high values of a size, and the programs that they come from."""

    low: int
    typical: int
    high: int
    programs: tuple[str, ...]


class SizeRole(Enum):
    """Roles of sizes and of loops that nothing counts."""

    LENGTH_PARAMETER = auto()
    PARAMETER = auto()
    LOCAL = auto()
    GLOBAL = auto()
    MEMBER = auto()
    TIME_STEPS = auto()
    ELEMENT = auto()
    EXTENT = auto()
    """Width, height, rows or columns, by name; measured loops of these names were of matrices."""
    CHANNELS = auto()
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

    @property
    def range(self) -> RoleRange:
        """The values of the role."""
        return _RANGES[self]


_RANGES: Final[dict[SizeRole, RoleRange]] = {
    role: RoleRange(low=low, typical=typical, high=high, programs=tuple(programs.split(", ")))
    for role, (low, typical, high), programs in (
        (SizeRole.LENGTH_PARAMETER, (40, 250, 6_000), "LULESH, HPCG, CG, FT, zlib, PolyBench"),
        (SizeRole.PARAMETER, (8, 32, 128), "LULESH, LU, FT, XSBench, zlib, PolyBench"),
        (SizeRole.LOCAL, (4, 32, 4_000),
         "LULESH, HPCG, CG, LU, FT, IS, XSBench, zlib, PolyBench"),
        (SizeRole.GLOBAL, (16, 32, 7_000), "CG, LU"),
        (SizeRole.MEMBER, (16, 1_000, 100_000), "HPCG, XSBench, zlib"),
        (SizeRole.TIME_STEPS, (1, 10, 100), "LULESH, HPCG, CG, LU, FT, PolyBench"),
        (SizeRole.ELEMENT, (8, 16, 1_000), "CG, IS, XSBench"),
        (SizeRole.EXTENT, (32, 500, 4_000), "judged"),
        (SizeRole.CHANNELS, (1, 4, 128), "judged"),
        (SizeRole.CONTAINER, (4, 64, 4_000), "judged"),
        (SizeRole.ROW, (4, 27, 100), "CG"),
        (SizeRole.CONDITION, (1, 4, 20), "LULESH, CG, FT, XSBench, zlib"),
        (SizeRole.ENDLESS, (1, 16, 300), "zlib"),
        (SizeRole.TEXT, (1, 8, 64), "LULESH, CG, zlib"),
        (SizeRole.LIST, (1, 5, 64), "judged"),
        (SizeRole.DOUBLING, (4, 10, 20), "judged"),
        (SizeRole.ONCE, (1, 1, 1), "by definition"),
        (SizeRole.STRIDE, (1, 1, 1), "judged"),
    )
}  # fmt: skip

NamedKind: TypeAlias = Literal["parameter", "local", "global", "member", "element", "result"]
LoopKind: TypeAlias = Literal[
    "counted", "endless", "once", "text", "list", "doubling", "row", "container", "other"
]

_LOOPS: Final[dict[LoopKind, SizeRole]] = {
    "endless": SizeRole.ENDLESS,
    "once": SizeRole.ONCE,
    "text": SizeRole.TEXT,
    "list": SizeRole.LIST,
    "doubling": SizeRole.DOUBLING,
    "row": SizeRole.ROW,
    "container": SizeRole.CONTAINER,
}
_KINDS: Final[dict[NamedKind, SizeRole]] = {
    "parameter": SizeRole.PARAMETER,
    "local": SizeRole.LOCAL,
    "global": SizeRole.GLOBAL,
    "member": SizeRole.MEMBER,
    "element": SizeRole.ELEMENT,
    "result": SizeRole.LOCAL,
}
UNSPECIFIC: Final = frozenset((SizeRole.PARAMETER, SizeRole.LOCAL, SizeRole.ELEMENT))
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
        "channel channels nchannels dim dims ndim ndims components ncomp".split(),
        SizeRole.CHANNELS,
    ),
    **dict.fromkeys("inc stride incx incy".split(), SizeRole.STRIDE),
}
_LENGTH_BEGINS: Final = ("n", "len")
_LENGTH_ENDS: Final = ("len", "length", "size", "count")


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
    if kind == "parameter" and _is_length(plain):
        return SizeRole.LENGTH_PARAMETER
    if kind == "result" and plain in ("size", "length"):
        return SizeRole.CONTAINER
    return _KINDS[kind]


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
