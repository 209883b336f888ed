"""Polynomials and conditions of the IR as expressions of an access program."""

from collections.abc import Iterable, Mapping
from typing import Final

from rooflint.ir import Poly, Statement, Value
from rooflint.ir.poly import Atom, PolyFunction
from rooflint.ir.poly_kinds import FunctionKind
from rooflint.ir.values import Const, RelationalOperator
from rooflint.replay.program import UNKNOWN_VALUE, ExpressionToken, ProgramWriter

_FUNCTIONS: Final[dict[FunctionKind, ExpressionToken]] = {
    "floordiv": ExpressionToken.FLOORDIV,
    "mod": ExpressionToken.MOD,
    "min": ExpressionToken.MIN,
    "max": ExpressionToken.MAX,
    "ceillog": ExpressionToken.CEILLOG,
}
_RELATIONS: Final[dict[RelationalOperator, tuple[ExpressionToken, bool]]] = {
    "<": (ExpressionToken.LESS, False),
    "<=": (ExpressionToken.LESS_EQUAL, False),
    ">": (ExpressionToken.LESS, True),
    ">=": (ExpressionToken.LESS_EQUAL, True),
    "==": (ExpressionToken.EQUAL, False),
    "!=": (ExpressionToken.NOT_EQUAL, False),
}
"""With whether the operands change sides."""
_ARITHMETIC: Final[dict[str, ExpressionToken]] = {
    "add": ExpressionToken.ADD,
    "mul": ExpressionToken.MULTIPLY,
    "min": ExpressionToken.MIN,
    "max": ExpressionToken.MAX,
}
_NOTHING: Final = (int(ExpressionToken.CONSTANT), UNKNOWN_VALUE)


class OpenValueError(LookupError):
    """An expression rests on a name without a value; ``args[0]`` names it."""


class ExpressionWriter:
    """Writes expressions over the slots of loop indices, with sizes filled in."""

    def __init__(
        self, writer: ProgramWriter, sizes: Mapping[str, int], slots: Mapping[str, int]
    ) -> None:
        """``slots`` of the names that the program changes; the mapping may grow later."""
        self._writer = writer
        self._sizes = {name: Poly.constant(value) for name, value in sizes.items()}
        self._slots = slots

    def poly(self, poly: Poly) -> int:
        """The position of a polynomial. Raises OpenValueError."""
        poly = self._closed(poly)
        terms: list[tuple[int, int]] = []
        for monomial, factor in poly.terms.items():
            if len(monomial) == 1 and isinstance(monomial[0], str):
                terms.append((self._slot(monomial[0]), factor))
            elif monomial:
                return self._writer.postfix(self._tokens(poly))
        return self._writer.affine(poly.terms.get((), 0), terms)

    def condition(self, statement: Statement) -> int:
        """The position of a branch's condition; unknown where the data decide."""
        tokens: list[tuple[int, ...]] = []
        for value in statement.values:
            tokens.append(self._value_tokens(value, tokens))
        return self._writer.postfix(tokens[-1] if tokens else _NOTHING)

    def _closed(self, poly: Poly) -> Poly:
        """With sizes filled in; the names of the program's slots stay."""
        names = poly.names()
        inner = {n: v for n, v in self._sizes.items() if n in names and n not in self._slots}
        return poly.substitute(inner) if inner else poly

    def _slot(self, name: str) -> int:
        slot = self._slots.get(name)
        if slot is None:
            raise OpenValueError(name)
        return slot

    def _tokens(self, poly: Poly) -> tuple[int, ...]:
        tokens: list[int] = [ExpressionToken.CONSTANT, poly.terms.get((), 0)]
        for monomial, factor in poly.terms.items():
            if not monomial:
                continue
            tokens += (ExpressionToken.CONSTANT, factor)
            for atom in monomial:
                tokens += (*self._atom_tokens(atom), ExpressionToken.MULTIPLY)
            tokens.append(ExpressionToken.ADD)
        return tuple(map(int, tokens))

    def _atom_tokens(self, atom: Atom) -> tuple[int, ...]:
        if isinstance(atom, str):
            return (int(ExpressionToken.SLOT), self._slot(atom))
        if not isinstance(atom, PolyFunction):
            return (int(ExpressionToken.SLOT), self._slot(str(atom)))
        operands = [self._tokens(operand) for operand in atom.operands]
        if atom.kind == "select":
            return (*_joined(operands), int(ExpressionToken.SELECT))
        tokens = list(operands[0])
        for operand in operands[1:]:
            tokens += (*operand, int(_FUNCTIONS[atom.kind]))
        return tuple(tokens)

    def _value_tokens(self, value: Value, earlier: list[tuple[int, ...]]) -> tuple[int, ...]:
        """A value of a condition; what memory decides is unknown."""
        operands = [earlier[position] for position in value.args]
        if isinstance(value, Const):
            whole = value.number if isinstance(value.number, int) else UNKNOWN_VALUE
            return (int(ExpressionToken.CONSTANT), int(whole))
        if value.op == "index":
            return self._closed_form(value)
        if value.op == "compare" and len(operands) == 2:
            token, swaps = _RELATIONS[value.operator]
            return (*_joined(operands[::-1] if swaps else operands), int(token))
        if value.op == "convert":
            return operands[0]
        return _logic(value, operands) if value.type == "bool" else _arithmetic(value, operands)

    def _closed_form(self, value: Value) -> tuple[int, ...]:
        poly = value.closed_form
        if poly is None:
            return _NOTHING
        try:
            return self._tokens(self._closed(poly))
        except OpenValueError:
            return _NOTHING


def _joined(operands: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple([token for operand in operands for token in operand])


def _logic(value: Value, operands: list[tuple[int, ...]]) -> tuple[int, ...]:
    if value.op == "not":
        return (*operands[0], int(ExpressionToken.NOT))
    token = {"and": ExpressionToken.AND, "or": ExpressionToken.OR}.get(value.op)
    return _NOTHING if token is None else (*_joined(operands), int(token))


def _arithmetic(value: Value, operands: list[tuple[int, ...]]) -> tuple[int, ...]:
    minus = (int(ExpressionToken.CONSTANT), -1, int(ExpressionToken.MULTIPLY))
    if value.op == "select":
        condition, then, orelse = operands
        is_false = (
            *condition,
            int(ExpressionToken.NOT),
            int(ExpressionToken.CONSTANT),
            -1,
            int(ExpressionToken.ADD),
        )
        return (*is_false, *orelse, *then, int(ExpressionToken.SELECT))
    if value.op == "neg":
        return (*operands[0], *minus)
    if value.op == "sub" and len(operands) == 2:
        return (*operands[0], *operands[1], *minus, int(ExpressionToken.ADD))
    token = _ARITHMETIC.get(value.op)
    if token is None or len(operands) != 2:
        return _NOTHING
    return (*_joined(operands), int(token))
