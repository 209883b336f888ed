"""Loop nests by hand, without clang: ``A = array("A", "f64", "n", "m")``, ``A["i", "j"].set(...)``.

Polynomials are written as Python expressions in a string: ``poly("8*n*i + min(j, 4) - 1")``.
"""

import ast
import re
from collections.abc import Iterable

from rooflint.ir import (
    BYTES,
    ZERO,
    Access,
    Arithmetic,
    Array,
    Assignment,
    Branch,
    CallValue,
    CarriedRead,
    Const,
    Conversion,
    DataSize,
    Function,
    IndexValue,
    Load,
    Loop,
    Node,
    OpaqueValue,
    Poly,
    Provenance,
    Reason,
    Region,
    Relation,
    ScalarRead,
    Selection,
    SourceForm,
    SourceName,
    Statement,
    Store,
    Unknown,
    Value,
)
from rooflint.ir.nodes import Reach, Storage
from rooflint.ir.poly import function as poly_function

Number = int | str | Poly


def poly(value: Number) -> Poly:
    """An integer, a Poly, or text in Python's syntax with ``//``, ``%``, ``min`` and ``max``."""
    if isinstance(value, Poly):
        return value
    if isinstance(value, int):
        return Poly.constant(value)
    return _poly(ast.parse(value, mode="eval").body)


def _poly(node: ast.expr) -> Poly:
    match node:
        case ast.Constant(value=int(number)):
            return Poly.constant(number)
        case ast.Name(id=name):
            return Poly.symbol(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_poly(operand)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _poly(left) + _poly(right)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _poly(left) - _poly(right)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _poly(left) * _poly(right)
        case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
            return poly_function("floordiv", _poly(left), _poly(right))
        case ast.BinOp(left=left, op=ast.Mod(), right=right):
            return poly_function("mod", _poly(left), _poly(right))
        case ast.Call(func=ast.Name(id="min" | "max" as kind), args=args):
            return poly_function(kind, *map(_poly, args))
    raise ValueError(ast.unparse(node))


def unknown(text: str, *depends: str) -> Poly:
    """A value without closed form."""
    reason = Reason("indirect", (text.partition("[")[0],))
    return Poly.symbol(Unknown(source_text(text), reason, depends))


def source_text(text: str) -> SourceForm:
    """The names in a text; those before a bracket are arrays."""
    words = re.split(r"([A-Za-z_]\w*)", text)
    pieces = [
        SourceName(word, "array" if words[number + 1][:1] == "[" else "variable")
        if number % 2
        else word
        for number, word in enumerate(words)
    ]
    return tuple([piece for piece in pieces if piece])


def data_size(text: str) -> Poly:
    """A size that the data decides."""
    return Poly.symbol(DataSize(source_text(text)))


class Expression:
    """A node of a value DAG; used twice, it is one value."""

    def __init__(self, op: str, kind: str, *args: "Expression", name: str = "") -> None:
        self.op, self.kind, self.args, self.name = op, kind, args, name
        self.access: Access | None = None
        self.poly: Poly | None = None
        self.number: float | None = None

    def _binary(self, op: str, other: "Expression | float") -> "Expression":
        right = other if isinstance(other, Expression) else number(other, self.kind)
        return Expression(op, self.kind, self, right)

    def __add__(self, other: "Expression | float") -> "Expression":
        return self._binary("add", other)

    def __sub__(self, other: "Expression | float") -> "Expression":
        return self._binary("sub", other)

    def __mul__(self, other: "Expression | float") -> "Expression":
        return self._binary("mul", other)

    def __truediv__(self, other: "Expression | float") -> "Expression":
        return self._binary("div", other)

    def __neg__(self) -> "Expression":
        return Expression("neg", self.kind, self)


def number(value: float, kind: str = "f64") -> Expression:
    found = Expression("const", kind, name=str(value))
    found.number = value
    return found


def index(value: Number, kind: str = "i32") -> Expression:
    """An integer over loop indices and sizes."""
    found = Expression("index", kind)
    found.poly = poly(value)
    return found


def scalar(name: str, kind: str = "f64") -> Expression:
    return Expression("scalar", kind, name=name)


def carried(name: str, kind: str = "f64") -> Expression:
    return Expression("carried", kind, name=name)


def op(name: str, *args: Expression, kind: str = "") -> Expression:
    """Any other operation: ``op("sqrt", x)``, ``op("fma", a, b, c)``."""
    return Expression(name, kind or args[-1].kind, *args)


def call(name: str, *args: Expression, kind: str = "f64") -> Expression:
    return Expression("call", kind, *args, name=name)


class Reference(Expression):
    """``A[i][j]`` as a value; ``set`` and ``add`` make statements that store to it."""

    def __init__(self, base: "array", offset: Poly, subscripts: tuple[Poly, ...]) -> None:
        super().__init__("load", base.array.type)
        size = base.array.element_bytes
        self.access = Access(base.array.name, offset, self.kind, size, False, subscripts)

    def set(self, value: Expression) -> Statement:
        return _statement(value, self.access)

    def add(self, value: Expression) -> Statement:
        return self.set(self + value)


REACH: dict[str, Reach] = {
    "parameter": "argument", "local": "local", "heap": "local", "global": "static",
}  # fmt: skip


class array:  # noqa: N801 - reads as a declaration in the nests below
    """An array of ``extents``, outermost first; None or "" where open (only the first may be)."""

    def __init__(
        self, name: str, kind: str, *extents: Number | None, storage: Storage = "parameter"
    ) -> None:
        sizes = tuple(None if e in (None, "") else poly(e) for e in extents)
        held = Provenance(REACH.get(storage, "pointer"), exposed=False)
        self.array = Array(name, kind, BYTES[kind], sizes or (None,), storage, provenance=held)

    def __getitem__(self, subscripts: Number | tuple[Number, ...]) -> Reference:
        indices = tuple(map(poly, subscripts if isinstance(subscripts, tuple) else (subscripts,)))
        offset = ZERO
        for index, extent in zip(indices, self.array.extents, strict=True):
            offset = offset * (extent or 1) + index
        return Reference(self, offset * self.array.element_bytes, indices)

    def at(self, offset_bytes: Number) -> Reference:
        """The element at a byte offset: a pointer walk, a struct member."""
        return Reference(self, poly(offset_bytes), ())


def assign(name: str, value: Expression) -> Statement:
    """``name = value`` for a scalar."""
    return _statement(Expression("assign", value.kind, value, name=name), None)


def condition(value: Expression) -> Statement:
    return _statement(value, None)


def _value(node: Expression, args: tuple[int, ...], access: int) -> Value:
    match node.op:
        case "load":
            return Load(type=node.kind, access=access)
        case "const":
            return Const(type=node.kind, spelling=node.name, number=node.number)
        case "index":
            assert node.poly is not None
            return IndexValue(type=node.kind, poly=node.poly)
        case "scalar":
            return ScalarRead(type=node.kind, name=node.name)
        case "carried":
            return CarriedRead(type=node.kind, name=node.name)
        case "assign":
            return Assignment(type=node.kind, args=args, name=node.name)
        case "compare":
            return Relation(type=node.kind, args=args, operator=node.name or "<")  # type: ignore[arg-type]
        case "call":
            return CallValue(type=node.kind, args=args, callee=node.name)
        case "opaque":
            return OpaqueValue(type=node.kind, reason=Reason("opaque-value", (node.name,)))
        case "select":
            return Selection(type=node.kind, args=args)
        case "convert":
            return Conversion(type=node.kind, args=args)
    return Arithmetic(op=node.op, type=node.kind, args=args)  # type: ignore[arg-type]


def _statement(root: Expression, target: Access | None) -> Statement:
    values: list[Value] = []
    accesses: list[Access] = []
    numbers: dict[int, int] = {}

    def visit(node: Expression) -> int:
        if id(node) not in numbers:
            args = tuple(visit(argument) for argument in node.args)
            position = -1
            if node.access is not None:
                position = len(accesses)
                accesses.append(node.access)
            values.append(_value(node, args, position))
            numbers[id(node)] = len(values) - 1
        return numbers[id(node)]

    result = visit(root)
    if target is not None:
        values.append(Store(type=target.type, args=(result,), access=len(accesses)))
        accesses.append(target._replace(write=True))
    return Statement(tuple(values), tuple(accesses))


def loop(index: str, lower: Number, upper: Number, *body: Node, step: Number = 1) -> Loop:
    return Loop(index, poly(lower), poly(upper), poly(step), body)


def update(kind: str, target: Reference, value: Expression) -> tuple[Node, ...]:
    """``target`` set to a value, added to, set through the scalar ``t``, or a sum ``s`` of it."""
    if kind == "set":
        return (target.set(value),)
    if kind == "add":
        return (target.add(value),)
    if kind == "sum":
        return (assign("s", carried("s") + value),)
    return (assign("t", value), target.set(scalar("t") - 1))


def branch(
    test: Expression,
    then: Iterable[Node],
    orelse: Iterable[Node] = (),
    exit_paths: tuple[bool, bool] = (False, False),
) -> Branch:
    return Branch(
        condition=condition(test), then=tuple(then), orelse=tuple(orelse), exit_paths=exit_paths
    )


def region(kind: str, *body: Node) -> Region:
    return Region(kind, (), body)


def function(name: str, arrays: Iterable[array], *body: Node) -> Function:
    return Function(name, (), tuple(a.array for a in arrays), body)
