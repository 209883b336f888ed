"""Names, types and literals of C, and expressions with the parentheses that they need."""

from collections.abc import Mapping
from typing import Final

from rooflint.errors import AnalysisError
from rooflint.ir import Array, Const
from rooflint.records import NamedTuple
from rooflint.startup.late_pattern import late_pattern


class NotWrittenError(AnalysisError):
    """A nest has no form in C: the IR does not keep what it takes; the text says what."""


TYPES: Final = {
    "bool": "_Bool", "i8": "signed char", "u8": "unsigned char", "i16": "short",
    "u16": "unsigned short", "i32": "int", "u32": "unsigned", "i64": "long", "u64": "unsigned long",
    "f32": "float", "f64": "double", "f80": "long double",
}  # fmt: skip
"""C's words for the IR's types (LP64)."""

FLOATS: Final = frozenset(("f32", "f64", "f80"))
# What binds tighter has the higher level (ISO C, 6.5).
CHOICE, EITHER, BOTH, BITS_OR, BITS_XOR, BITS_AND, EQUAL, LESS, SHIFT, SUM, PRODUCT, UNARY, ATOM = (
    range(13)
)


class CExpression(NamedTuple):
    """C's text of a value, and the level of the operator outside."""

    text: str
    level: int = ATOM

    def at(self, level: int) -> str:
        """The text as an operand that has to bind at least so tightly."""
        return self.text if self.level >= level else f"({self.text})"


class NestScope(NamedTuple):
    """The scope of a nest.

    declared     identifiers that mean something there; other scalars are declared in the text
    index_types  C types of loop indices; ``int`` where nothing is known
    unsigned     sizes of unsigned types: bounds are computed with signed numbers
    divisions    quotients that the source itself writes with ``/``, as text
    called       functions of which the IR keeps all arguments
    unclear      variables that the function sets in several places, so their values here are open
    new_arrays   arrays that a change has made
    members      members as the source names them, ``f->n``; None: not known
    """

    declared: frozenset[str] = frozenset()
    index_types: Mapping[str, str] = {}
    unsigned: frozenset[str] = frozenset()
    divisions: frozenset[str] = frozenset()
    called: frozenset[str] = frozenset()
    unclear: frozenset[str] = frozenset()
    new_arrays: tuple[Array, ...] = ()
    members: frozenset[str] | None = None


_PLACE = late_pattern(r"[A-Za-z_]\w*(?:(?:->|\.)[A-Za-z_]\w*|\[\w+\])*\Z")
_PRIME = late_pattern(r"'(\d+)")
_RESULT = late_pattern(r"([A-Za-z_]\w*)\(\)\Z")


def place(name: str) -> str:
    """A variable or a member as the source names it."""
    if not _PLACE.match(name):
        raise NotWrittenError(f"'{name}' is no name of the source")
    return name


def own_name(name: str) -> str:
    """The name of a loop index or a variable of the nest in C: ``i'2`` is ``i_2``."""
    match = _RESULT.match(name)
    return f"{match[1]}_result" if match else place(_PRIME.sub(r"_\1", name))


def type_text(kind: str) -> str:
    """The C type of values of a kind."""
    found = TYPES.get(kind)
    if found is None:
        raise NotWrittenError(f"a value of type {kind}")
    return found


def literal(value: Const) -> CExpression:
    """A constant as the source spells it, or as the number that it is in its type."""
    text, kind, number = value.spelling, value.type, value.number
    if number is None or (kind not in FLOATS and number != int(number)):
        raise NotWrittenError(f"the constant '{text}'")
    if kind not in FLOATS:
        return _integer(int(number), kind)
    digits = text.rstrip("fFlL")
    spelled = {"f": "f32", "F": "f32", "l": "f80", "L": "f80"}.get(text[-1], "f64")
    mark = {"f32": "f", "f64": "", "f80": "L"}
    shown = digits if any(c in digits for c in ".eEpP") else f"{digits}.0"
    if spelled != kind and not _is_float(number):
        return CExpression(f"({TYPES[kind]}){shown}{mark[spelled]}", UNARY)
    shown = shown if spelled == kind else repr(float(number))
    return CExpression(shown + mark[kind], UNARY if shown[0] == "-" else ATOM)


def _integer(number: int, kind: str) -> CExpression:
    suffix = {"u32": "u", "i64": "L", "u64": "uL"}.get(kind, "")
    return CExpression(f"{number}{suffix}", UNARY if number < 0 else ATOM)


def _is_float(value: float) -> bool:
    top, bottom = value.as_integer_ratio()
    return abs(top) < 1 << 24 and bottom < 1 << 24
