"""The values of a statement: a union of small frozen types, one for each kind of operation.

``op`` names the operation and tells the types apart: a comparison of it with a literal narrows a
``Value``. ``type`` is the element type of the result. ``args`` are the positions of the operands
in ``Statement.values``; leaves have none. ``ir.text`` prints values.
"""

from typing import ClassVar, Final, Literal, TypeAlias, TypeVar, get_args

from msgspec import Struct
from msgspec.structs import replace

from rooflint.ir.poly import Poly
from rooflint.ir.reasons import Reason

ArithmeticOp: TypeAlias = Literal[
    "add", "sub", "mul", "div", "rem", "neg", "and", "or", "xor", "not", "shl", "shr",
    "sqrt", "abs", "min", "max", "fma",
]  # fmt: skip
"""One operation each; ``fma(a, b, c)`` is ``a*b + c``."""
ARITHMETIC: Final[frozenset[str]] = frozenset(get_args(ArithmeticOp))
RelationalOperator: TypeAlias = Literal["<", "<=", ">", ">=", "==", "!="]
MIRRORED: Final[dict[RelationalOperator, RelationalOperator]] = {
    "<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!=",
}  # fmt: skip
"""The same comparison with its sides exchanged."""


class _TypedValue(Struct, frozen=True, array_like=True, tag_field="is", kw_only=True):
    """The part that all values share."""

    type: str

    @property
    def closed_form(self) -> Poly | None:
        """The integer over indices and sizes alone; None where memory decides a part of it."""
        return None


class _Leaf(_TypedValue, frozen=True, array_like=True, tag_field="is", kw_only=True):
    """A value without operands."""

    args: ClassVar[tuple[()]] = ()


class Load(_Leaf, frozen=True, array_like=True, tag=True, tag_field="is", kw_only=True):
    """Reads ``Statement.accesses[access]``."""

    op: ClassVar[Literal["load"]] = "load"
    access: int


class Store(_TypedValue, frozen=True, array_like=True, tag=True, tag_field="is", kw_only=True):
    """Writes its operand to ``Statement.accesses[access]``.

    ``nontemporal``: the source asks for a store past the caches.
    """

    op: ClassVar[Literal["store"]] = "store"
    args: tuple[int, ...]
    access: int
    nontemporal: bool = False


class Const(_Leaf, frozen=True, array_like=True, tag=True, tag_field="is", kw_only=True):
    """A literal, or a call that compilers evaluate.

    ``spelling`` is C; ``number`` is the value of a literal in ``type``, None for a call, whose last
    bit is the compiler's.
    """

    op: ClassVar[Literal["const"]] = "const"
    spelling: str
    number: int | float | None = None

    @property
    def closed_form(self) -> Poly | None:
        """The literal, if it is whole."""
        return Poly.constant(self.number) if isinstance(self.number, int) else None


class ScalarRead(_Leaf, frozen=True, array_like=True, tag=True, tag_field="is", kw_only=True):
    """Reads the scalar ``name``: defined earlier in this iteration, or invariant."""

    op: ClassVar[Literal["scalar"]] = "scalar"
    name: str


class CarriedRead(_Leaf, frozen=True, array_like=True, tag=True, tag_field="is", kw_only=True):
    """Reads the scalar ``name`` as the previous iteration of the innermost loop left it."""

    op: ClassVar[Literal["carried"]] = "carried"
    name: str


class Assignment(_TypedValue, frozen=True, array_like=True, tag=True, tag_field="is", kw_only=True):
    """Gives its operand to the scalar ``name``."""

    op: ClassVar[Literal["assign"]] = "assign"
    args: tuple[int, ...]
    name: str


class IndexValue(_Leaf, frozen=True, array_like=True, tag=True, tag_field="is", kw_only=True):
    """The integer ``poly`` over loop indices and sizes."""

    op: ClassVar[Literal["index"]] = "index"
    poly: Poly

    @property
    def closed_form(self) -> Poly | None:
        """The polynomial, unless it has unknowns."""
        return None if self.poly.unknowns() else self.poly


class AddressValue(_Leaf, frozen=True, array_like=True, tag=True, tag_field="is", kw_only=True):
    """The address of the object ``target``."""

    op: ClassVar[Literal["index"]] = "index"
    target: str


class Arithmetic(_TypedValue, frozen=True, array_like=True, tag=True, tag_field="is", kw_only=True):
    """One arithmetic or logical operation."""

    op: ArithmeticOp
    args: tuple[int, ...]


class Relation(_TypedValue, frozen=True, array_like=True, tag=True, tag_field="is", kw_only=True):
    """Compares two operands."""

    op: ClassVar[Literal["compare"]] = "compare"
    args: tuple[int, ...]
    operator: RelationalOperator


class Selection(_TypedValue, frozen=True, array_like=True, tag=True, tag_field="is", kw_only=True):
    """The second operand where the first, a condition, holds, else the third."""

    op: ClassVar[Literal["select"]] = "select"
    args: tuple[int, ...]


class Conversion(_TypedValue, frozen=True, array_like=True, tag=True, tag_field="is", kw_only=True):
    """Its operand converted to ``type``."""

    op: ClassVar[Literal["convert"]] = "convert"
    args: tuple[int, ...]


class CallValue(_TypedValue, frozen=True, array_like=True, tag=True, tag_field="is", kw_only=True):
    """The result of the function ``callee``."""

    op: ClassVar[Literal["call"]] = "call"
    args: tuple[int, ...]
    callee: str


class OpaqueValue(_Leaf, frozen=True, array_like=True, tag=True, tag_field="is", kw_only=True):
    """A value that the front end does not model, and why."""

    op: ClassVar[Literal["opaque"]] = "opaque"
    reason: Reason


Value: TypeAlias = (
    Load
    | Store
    | Const
    | ScalarRead
    | CarriedRead
    | Assignment
    | IndexValue
    | AddressValue
    | Arithmetic
    | Relation
    | Selection
    | Conversion
    | CallValue
    | OpaqueValue
)
V = TypeVar("V", bound=Value)
VALUE_TYPES: Final[tuple[type[Value], ...]] = get_args(Value)


def whole_number(type_: str, number: int) -> Const:
    """A whole number as a literal."""
    return Const(type=type_, spelling=str(number), number=number)


def literal_number(value: Value) -> int | float | None:
    """The number of a literal; None for any other value."""
    return value.number if isinstance(value, Const) else None


def with_operands(value: V, args: tuple[int, ...]) -> V:
    """The same operation on other operands; a leaf, which has none, stays as it is."""
    return replace(value, args=args) if value.args else value


def without_carry(value: Value) -> Value:
    """A read of what the last iteration left as a read of this iteration's scalar."""
    return ScalarRead(type=value.type, name=value.name) if value.op == "carried" else value
