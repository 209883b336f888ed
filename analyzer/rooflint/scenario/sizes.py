"""Sizes of a run: names with the values used for them, and each value's origin."""

from collections.abc import Iterable, Mapping

from rooflint.errors import UsageError
from rooflint.records import NamedTuple
from rooflint.scenario.values import CountedLoop, GuessedRange


class Size(NamedTuple):
    """The value used for a size parameter.

    origin: ``command line``, ``comment``, ``configuration``, ``counts``, ``source``, ``source
    default``, ``callers`` or ``role``; ``detail`` says in words why this value. ``range``: of a
    guess, which has the origin ``role``. ``several``: the lowest and the highest of the values
    that callers give it.
    """

    value: int
    origin: str
    detail: str = ""
    range: GuessedRange | None = None
    several: tuple[int, int] | None = None


class SizeLayer(NamedTuple):
    """Sizes that somebody set: ``sizes`` by name, ``trips`` by loop index.

    ``loops``: trip counts of single loops, whatever the names of their indices.
    """

    origin: str
    sizes: Mapping[str, int]
    trips: Mapping[str, int] = {}
    loops: tuple[CountedLoop, ...] = ()


class Sizes(NamedTuple):
    """``by_name`` for the report, ``values`` for arithmetic."""

    by_name: Mapping[str, Size]
    values: Mapping[str, int]

    @property
    def guessed(self) -> tuple[str, ...]:
        """The names that nobody and nothing in the source gives a value."""
        return tuple(name for name, size in self.by_name.items() if size.origin == "role")


NO_SIZES = Sizes({}, {})


def parse_size(text: str) -> tuple[str, int]:
    """``N=4096``, ``n=1e6``, ``row[i+1]-row[i]=27`` as (name, value); split at the last ``=``.

    Raises UsageError for anything else.
    """
    name, separator, value = text.rpartition("=")
    name = canonical(name)
    if not separator or not name:
        raise UsageError(f"-D {text}: expected NAME=VALUE, such as -D N=4096")
    try:
        return name, int(value, 0)
    except ValueError:
        pass
    try:
        size = float(value)
    except ValueError:
        size = 0.5
    if not size.is_integer():
        raise UsageError(f"-D {text}: '{value.strip()}' is no whole number, such as 4096 or 1e6")
    return name, int(size)


def sizes_by_name(pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    """The values of names; raises UsageError where one name has two of them."""
    sizes: dict[str, int] = {}
    first: dict[str, str] = {}
    for name, value in pairs:
        before = first.setdefault(size_key(name), name)
        if sizes.setdefault(before, value) != value:
            raise UsageError(
                f"-D {name}={value} contradicts -D {before}={sizes[before]}; give one of the two"
            )
    return sizes


def canonical(name: str) -> str:
    """A size's name without spaces: ``row[i + 1] - row[i]`` is ``row[i+1]-row[i]``."""
    return "".join(name.split())


def size_key(name: str) -> str:
    """The same for all spellings of one size: a member of a pointer's target is ``p.n`` too."""
    return canonical(name).replace("->", ".")


def in_function(layer: SizeLayer, function: str) -> SizeLayer:
    """The layer with ``n`` as ``gemm:n`` or ``gemm::n`` sets it, in the function ``blas::gemm``."""
    own = {}
    for name, value in layer.sizes.items():
        scope, inner = split_scope(name)
        if scope and scope == function.rpartition("::")[2]:
            own[inner] = value
    return layer._replace(sizes={**layer.sizes, **own}) if own else layer


def split_scope(name: str) -> tuple[str, str]:
    """The scope, empty where there is none, and the name in it."""
    outer, _, inner = name.rpartition(":")
    return outer.removesuffix(":"), inner
