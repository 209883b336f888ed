"""Arithmetic on operands: closed forms stay polynomials, everything else becomes DAG values."""

from collections.abc import Callable
from functools import reduce
from itertools import chain
from typing import Final, Literal

from msgspec.structs import replace

from rooflint.frontend.lower.state.arithmetic_types import common_type, is_float
from rooflint.frontend.lower.state.constants import evaluated_arithmetic, in_type
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.held_values import is_computed, is_scalar
from rooflint.frontend.lower.state.names import HeldPart
from rooflint.frontend.lower.state.operands import Operand, Pointer, advance_pointer, element_bytes
from rooflint.frontend.lower.state.value_limits import value_limit
from rooflint.ir import (
    ONE,
    ZERO,
    AddressValue,
    Const,
    Conversion,
    IndexValue,
    Poly,
    Reason,
    SourceForm,
    SourceName,
    Value,
    plain,
    source_form,
    whole_number,
)
from rooflint.ir.poly import Atom, Monomial, PolyFunction, function
from rooflint.ir.poly_form import atom_form, name_form
from rooflint.ir.text import detail_text, plain_detail
from rooflint.ir.values import ArithmeticOp
from rooflint.ir.written import UNKNOWN_MARK, Piece, form_text, without_marks
from rooflint.startup.late_pattern import late_pattern

_OPERATIONS: Final[dict[str, ArithmeticOp]] = {
    "floordiv": "div", "mod": "rem", "min": "min", "max": "max",
}  # fmt: skip


def materialise(context: LoweringContext, operand: Operand) -> int:
    """The operand as a value of the statement being built."""
    if isinstance(operand, int):
        return operand
    if isinstance(operand, Pointer):
        return context.emit(AddressValue(type="ptr", target=operand.array))
    constant = operand.value
    if constant is not None:
        number = context.emit(whole_number("i32", constant))
    elif (known := context.symbols.scalar_of(operand, context.env)) is not None:
        number = context.read_scalar(*known)
    elif (part := context.symbols.part_of(operand, context.env)) is not None:
        number = _with_part(context, part)
    elif is_computed(context, operand):
        number = _computed(context, operand)
    else:
        number = context.emit(IndexValue(type=_type_of(context, operand), poly=operand))
    context.statement.note_closed(number, operand)
    return number


def _type_of(context: LoweringContext, poly: Poly) -> str:
    return reduce(common_type, context.symbols.types_of(poly), "i32")


def _with_part(context: LoweringContext, part: HeldPart) -> int:
    """The operations of a sum, one part of which a scalar holds."""
    type_ = reduce(common_type, context.symbols.types_of(part.rest), part.scalar.type)
    number = context.read_scalar(*part.scalar)
    if abs(part.times) != 1:
        factor = materialise(context, Poly.constant(abs(part.times)))
        number = context.emit_arithmetic("mul", type_, number, factor)
    if part.rest == ZERO:
        return number if part.times > 0 else context.emit_arithmetic("neg", type_, number)
    rest = materialise(context, part.rest)
    if part.times < 0:
        return context.emit_arithmetic("sub", type_, rest, number)
    return context.emit_arithmetic("add", type_, number, rest)


def _computed(context: LoweringContext, poly: Poly) -> int:
    """The operations on scalars that a closed form stands for, the rest of it in one piece."""
    type_ = _type_of(context, poly)
    rest, total = ZERO, -1
    for monomial, coefficient in poly.terms.items():
        scalars = [atom for atom in monomial if is_scalar(context, atom)]
        if not scalars:
            rest = rest + Poly({monomial: coefficient})
            continue
        factor = Poly({_without(monomial, scalars): coefficient if total < 0 else abs(coefficient)})
        term = _product(context, scalars, factor, type_)
        op: ArithmeticOp = "sub" if coefficient < 0 else "add"
        total = term if total < 0 else context.emit_arithmetic(op, type_, total, term)
    if rest.terms:
        total = context.emit_arithmetic("add", type_, total, materialise(context, rest))
    return total


def _without(monomial: Monomial, atoms: list[Atom]) -> Monomial:
    return tuple([atom for atom in monomial if atom not in atoms])


def _product(context: LoweringContext, scalars: list[Atom], factor: Poly, type_: str) -> int:
    product = -1
    for atom in scalars:
        number = _factor(context, atom, type_)
        product = number if product < 0 else context.emit_arithmetic("mul", type_, product, number)
    if factor == ONE:
        return product
    return context.emit_arithmetic("mul", type_, product, materialise(context, factor))


def _factor(context: LoweringContext, atom: Atom, type_: str) -> int:
    if not isinstance(atom, PolyFunction):
        return materialise(context, Poly.symbol(atom))
    numbers = [materialise(context, each) for each in atom.operands]
    op = _OPERATIONS[atom.kind]
    return reduce(lambda left, right: context.emit_arithmetic(op, type_, left, right), numbers)


def type_of(context: LoweringContext, number: int) -> str:
    """The type of a value; a comparison, whose type is that of what it compares, is 0 or 1."""
    value = context.statement.values[number]
    return "i32" if value.op == "compare" else value.type


def convert_value(context: LoweringContext, number: int, type_: str) -> int:
    """The value in ``type_``: a conversion where floating point is involved, else the value."""
    value = context.statement.values[number]
    own = type_of(context, number)
    if own == type_ or not (is_float(type_) or is_float(own)):
        return number
    if value.op == "const":
        if number == len(context.statement.values) - 1:
            context.statement.discard(number, len(context.statement.accesses))
        return context.emit(replace(value, type=type_, number=in_type(value.number, type_)))
    return context.emit(Conversion(type=type_, args=(number,)))


def as_poly(context: LoweringContext, operand: Operand) -> Poly:
    """The operand as an integer in closed form, with unknown atoms for what memory decides."""
    if isinstance(operand, Poly):
        return operand
    if isinstance(operand, Pointer):
        form = ("&", SourceName(operand.array, "array"))
        return context.symbols.unknown(form, Reason("pointer-value"))
    return _poly_of(context, operand)


def _poly_of(context: LoweringContext, number: int) -> Poly:
    if number in context.statement.closed:
        return context.statement.closed[number]
    value = context.statement.values[number]
    if value.op in _EXACT and value.type[0] in "iu":
        left, right = (_poly_of(context, argument) for argument in value.args)
        return _EXACT[value.op](left, right)
    if value.op == "convert" and not is_float(context.statement.values[value.args[0]].type):
        return _poly_of(context, value.args[0])
    if value.op == "const" and value.number is not None:
        return Poly.constant(int(value.number))  # C drops the fraction where it wants an integer
    form = _form(context, number)
    limit = value_limit(context.statement.values, number)
    if value.op == "load":
        access = context.statement.accesses[value.access]
        loaded = context.symbols.unknown(
            form, Reason("indirect", (access.array,)), access.offset.names()
        )
        return context.symbols.bounded(loaded, limit=limit)
    if value.op in ("call", "opaque"):
        form = context.symbols.distinct(form)  # two calls may give two values
    reason = Reason("computed", (f"{value.op} {plain_detail(value)[:40]}".strip(),))
    found = context.symbols.unknown(form, reason, _depends(context, number))
    found = context.symbols.bounded(found, limit=limit)
    context.statement.note_closed(number, found)
    return found


def _depends(context: LoweringContext, number: int) -> set[str]:
    """The names that a computed value varies with; every loop around where nothing is known."""
    value = context.statement.values[number]
    if number in context.statement.closed:
        return set(context.statement.closed[number].names())
    if value.op == "load":
        return set(context.statement.accesses[value.access].offset.names())
    if value.op == "const":
        return set()
    if value.args and value.op not in ("call", "opaque"):
        return set().union(*(_depends(context, argument) for argument in value.args))
    return set(context.symbols.active)


_NAME: Final = late_pattern(r"([A-Za-z_]\w*)")


def text_form(text: str) -> SourceForm:
    """A piece of the source, which has more names than are variables."""
    words = _NAME.split(text)
    return tuple([SourceName(word) if odd % 2 else word for odd, word in enumerate(words) if word])


def _tight(subscript: Poly) -> SourceForm:
    return ("[", *without_marks(source_form(subscript), " @"), "]")


_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "rem": "%", "and": "&", "or": "|",
    "xor": "^", "shl": "<<", "shr": ">>",
}  # fmt: skip


def _form(context: LoweringContext, number: int) -> SourceForm:
    """A value as the source could write it; what it is made of stands in parentheses."""
    value = context.statement.values[number]
    if value.op == "load":
        access = context.statement.accesses[value.access]
        subscripts = [_tight(subscript) for subscript in access.subscripts or (access.offset,)]
        path = context.statement.paths.get(number, "")
        return (SourceName(access.array, "array"), *chain.from_iterable(subscripts), path)
    if not value.args:
        return _leaf_form(value)
    parts = [_form(context, argument) for argument in value.args]
    if value.op == "convert":
        return parts[0]
    sign = value.operator if value.op == "compare" else _SIGNS.get(value.op, "")
    if sign and len(parts) == 2:
        return (*_grouped(parts[0]), sign, *_grouped(parts[1]))
    if value.op == "select" and len(parts) == 3:
        then = [_nested_choice(part) for part in parts]
        return (*then[0], " ? ", *then[1], " : ", *then[2])
    operands = [piece for part in parts for piece in (",", *part)][1:]
    return (f"{detail_text(value) or value.op}(", *operands, ")")


def _nested_choice(form: SourceForm) -> SourceForm:
    """In parentheses if it is a choice itself: all other operators bind closer."""
    return ("(", *form, ")") if " ? " in form_text(form) else form


def _leaf_form(value: Value) -> SourceForm:
    if value.op in ("scalar", "carried"):
        return (SourceName(value.name),)
    if isinstance(value, IndexValue):
        return source_form(value.poly)
    if isinstance(value, AddressValue):
        return ("&", SourceName(value.target, "array"))
    return (detail_text(value).removeprefix("access "),)


_OPERATOR = late_pattern(r"(?<!^)(?:[+*/%&|^<= ]|-(?!>)|(?<!-)>)(?![^\[(]*[])])")
"""An operator outside brackets; the arrow of a member is none."""


def _grouped(form: SourceForm) -> SourceForm:
    return ("(", *form, ")") if _OPERATOR.search(form_text(form)) else form


def poly_text(poly: Poly) -> str:
    """A closed form inside a sentence: sums in parentheses, no marks of unknown values."""
    text = plain(poly)
    return f"({text})" if len(poly.terms) > 1 else text


def distance_form(poly: Poly) -> SourceForm:
    """A difference as people write it and ``-D`` takes it: ``row[i+1]-row[i]``, ``n-lo[k]+1``."""
    form: list[Piece] = []
    ordered = sorted(poly.terms.items(), key=lambda term: (not term[0], term[1] < 0))
    for monomial, coefficient in ordered:
        size = abs(coefficient)
        atoms = [_unmarked(atom) for atom in monomial]
        if len(atoms) + (size != 1) > 1 or coefficient < 0:
            atoms = [_grouped(atom) for atom in atoms]
        factors: list[SourceForm] = [(str(size),)] if size != 1 or not atoms else []
        form.append("-" if coefficient < 0 else "+" if form else "")
        for number, factor in enumerate((*factors, *atoms)):
            form += ("*", *factor) if number else factor
    return without_marks(form, " @")


def _unmarked(atom: Atom) -> SourceForm:
    form = name_form(atom) if isinstance(atom, str) else atom_form(atom)
    return tuple([piece for piece in form if piece != UNKNOWN_MARK])


def binary(context: LoweringContext, op: ArithmeticOp, left: Operand, right: Operand) -> Operand:
    """``left op right`` for an arithmetic operator."""
    if isinstance(left, Pointer) or isinstance(right, Pointer):
        return _pointer_arithmetic(context, op, left, right)
    if isinstance(left, Poly) and isinstance(right, Poly):
        closed = _closed(context, op, left, right)
        if closed is not None:
            return closed
    a, b = materialise(context, left), materialise(context, right)
    type_ = common_type(type_of(context, a), type_of(context, b))
    if op in ("shl", "shr"):
        type_ = type_of(context, a)
    elif is_float(type_):
        a, b = convert_value(context, a, type_), convert_value(context, b, type_)
        folded = evaluated_arithmetic(context, op, type_, (a, b))
        if folded is not None:
            if {a, b} == {len(context.statement.values) - 1, len(context.statement.values) - 2}:
                context.statement.discard(
                    len(context.statement.values) - 2, len(context.statement.accesses)
                )
            return context.emit(Const(type=type_, spelling=folded.text, number=folded.value))
    return context.emit_arithmetic(op, type_, a, b)


def _closed(context: LoweringContext, op: str, left: Poly, right: Poly) -> Poly | None:
    """``left op right`` in closed form; None where it has none."""
    if op in _EXACT:
        return _EXACT[op](left, right)
    divisor, dividend = right.value, left.value
    if divisor is None:
        return _quotient(context, op, left, right) if op in _DIVISIONS else None
    if dividend is not None:
        return _folded(op, dividend, divisor)
    if op == "shl" and 0 <= divisor < 63:
        return left * (1 << divisor)
    op, divisor = _as_division(op, divisor)
    return _division(context, op, left, divisor) if op in _DIVISIONS and divisor > 0 else None


_EXACT: Final[dict[str, Callable[[Poly, Poly], Poly]]] = {
    "add": lambda left, right: left + right,
    "sub": lambda left, right: left - right,
    "mul": lambda left, right: left * right,
}
_DIVISIONS: Final[dict[str, Literal["floordiv", "mod"]]] = {"div": "floordiv", "rem": "mod"}


def _as_division(op: str, right: int) -> tuple[str, int]:
    """A shift to the right, and a mask of the lowest bits, as a division by a power of two."""
    if op == "and" and right > 0 and right & (right + 1) == 0:
        return "rem", right + 1
    if op == "shr" and 0 <= right < 63:
        return "div", 1 << right
    return op, right


def _quotient(context: LoweringContext, op: str, left: Poly, right: Poly) -> Poly:
    context.assume(f"{poly_text(left)} / {poly_text(right)} has no negative operand")
    return function(_DIVISIONS[op], left, right)


def _division(context: LoweringContext, op: str, left: Poly, divisor: int) -> Poly:
    closed = function(_DIVISIONS[op], left, Poly.constant(divisor))
    counter = len(left.terms) == 1 and left.names() <= set(context.symbols.active)
    if not counter and any(not isinstance(atom, str) for atom in closed.atoms()):
        context.assume(f"{poly_text(left)} is not negative where it is divided by {divisor}")
    return closed


def _folded(op: str, left: int, right: int) -> Poly | None:
    if op in ("div", "rem"):
        if right == 0:
            return None
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return Poly.constant(quotient if op == "div" else left - quotient * right)
    if op in ("shl", "shr") and 0 <= right < 64:
        return Poly.constant(left << right if op == "shl" else left >> right)
    table = {"and": left & right, "or": left | right, "xor": left ^ right}
    return Poly.constant(table[op]) if op in table else None


def _pointer_arithmetic(
    context: LoweringContext, op: str, left: Operand, right: Operand
) -> Operand:
    if isinstance(left, Pointer) and isinstance(right, Pointer):
        size = element_bytes(left)
        if op == "sub" and left.array == right.array and size.value:
            return function("floordiv", left.offset - right.offset, size)
        form = (SourceName(left.array, "array"), "-", SourceName(right.array, "array"))
        return context.symbols.unknown(form, Reason("pointer-difference"))
    pointer, step = (left, right) if isinstance(left, Pointer) else (right, left)
    if not isinstance(pointer, Pointer) or op not in ("add", "sub"):
        return context.emit_opaque("pointer arithmetic", "ptr")
    return advance_pointer(pointer, as_poly(context, step) * (1 if op == "add" else -1))
