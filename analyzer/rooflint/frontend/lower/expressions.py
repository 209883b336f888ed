"""Expressions: one handler a cursor kind; each gives the operand the expression stands for."""

from rooflint.frontend.lower.assignments import assign
from rooflint.frontend.lower.literals import constant, evaluate_integer, evaluated
from rooflint.frontend.lower.lvalues import row
from rooflint.frontend.lower.objects import extents, places
from rooflint.frontend.lower.state.context import Context, Operand, Place, Pointer
from rooflint.frontend.lower.state.dispatch import (
    evaluates,
    opaque,
    opaque_access,
    operand,
    place,
    value,
)
from rooflint.frontend.lower.state.numbers import (
    as_poly,
    binary,
    common_type,
    converted,
    extreme,
    is_float,
    materialise,
    moved,
    type_of,
)
from rooflint.frontend.lower.state.types import CType
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import Tree
from rooflint.ir import ONE, AddressValue, Conversion, Poly, Relation, Selection
from rooflint.ir.values import ArithmeticOp, RelationalOperator


@evaluates(kinds.DECL_REF)
def _decl_ref(context: Context, tree: Tree) -> Operand:
    unit = context.unit
    target = unit.target(tree[1])
    known = context.env.get(target.d0)
    if known is not None:
        return places.load(context, known) if isinstance(known, Place) else known
    decl = unit.declared(target)
    ctype = decl.ctype
    if ctype.shape == "scalar":
        if not ctype.is_integer:
            return context.read_scalar(context.name(decl), decl.key, ctype.ir)
        if decl.kind == kinds.ENUM_CONSTANT or ctype.const:
            folded = constant(context, decl.key, tree)
            if folded is not None:
                return folded
        symbol = context.size(context.name(decl))
        context.env[decl.key] = symbol
        return symbol
    if ctype.shape in ("array", "pointer"):
        pointer = places.decayed(context, decl)
        context.env[decl.key] = pointer
        return pointer
    if ctype.shape == "record":
        return places.load(context, places.variable_place(context, decl))
    number = evaluate_integer(context, tree)  # a template's non-type argument
    if number is not None:
        return Poly.constant(number)
    return context.emit_opaque(decl.name or "a dependent name")


@evaluates(kinds.SUBSCRIPT)
def _subscript(context: Context, tree: Tree) -> Operand:
    return row(context, tree)


@evaluates(kinds.MEMBER_REF)
def _member(context: Context, tree: Tree) -> Operand:
    decl = context.unit.referenced(tree[1])
    if decl.kind == kinds.ENUM_CONSTANT:
        return _decl_ref(context, tree)
    if decl.kind in (kinds.METHOD, kinds.FUNCTION):
        return opaque(context, tree)
    if decl.kind == kinds.VARIABLE:
        return _decl_ref(context, tree)
    found = place(context, tree)
    return opaque_access(context, tree) if found is None else places.load(context, found)


@evaluates(kinds.UNARY)
def _unary(context: Context, tree: Tree) -> Operand:
    _, cursor, below = tree
    operator = context.clang.getCursorUnaryOperatorKind(cursor)
    if not below:
        return evaluated(context, tree)
    if operator in kinds.STEPS:
        return _step(context, below[0], operator)
    if operator == kinds.DEREFERENCE:
        found = place(context, tree)
        if found is None and below[0][0] == kinds.THIS:
            return opaque(context, tree)  # the object itself, as in "return *this"
        return opaque_access(context, tree) if found is None else places.load(context, found)
    if operator == kinds.ADDRESS:
        found = place(context, below[0])
        pointer = places.address(found) if found else None
        if pointer is None:
            name = found.name if found else "?"
            return context.emit(AddressValue(type="ptr", target=name))
        return pointer
    inner = operand(context, below[0])
    if operator == kinds.MINUS:
        if isinstance(inner, Poly):
            return -inner
        number = materialise(context, inner)
        return context.emit_arithmetic("neg", context.values[number].type, number)
    if operator == kinds.LOGICAL_NOT:
        return context.emit_arithmetic("not", "bool", materialise(context, inner))
    if operator == kinds.NOT:
        if isinstance(inner, Poly):
            return -inner - 1
        number = materialise(context, inner)
        return context.emit_arithmetic("not", context.values[number].type, number)
    return inner


def _step(context: Context, target: Tree, operator: int) -> Operand:
    step = kinds.STEPS[operator]
    counter = _counter(context, target, step)
    if counter is not None:
        return counter if operator in (kinds.POST_INC, kinds.POST_DEC) else counter + step
    found = place(context, target)
    if found is None:
        return opaque_access(context, target)
    before = places.load(context, found)
    after: Operand
    if isinstance(before, Pointer):
        after = moved(before, Poly.constant(step))
    else:
        after = binary(context, "add" if step > 0 else "sub", before, ONE)
    assign(context, found, after)
    return before if operator in (kinds.POST_INC, kinds.POST_DEC) else after


def counted(context: Context, tree: Tree) -> bool:
    """Whether ``tree`` steps an integer in closed form, which has then been done."""
    if tree[0] != kinds.UNARY or not tree[2]:
        return False
    step = kinds.STEPS.get(context.clang.getCursorUnaryOperatorKind(tree[1]))
    return step is not None and _counter(context, tree[2][0], step) is not None


def _counter(context: Context, target: Tree, step: int) -> Poly | None:
    """What an integer variable in closed form held before the step; None for anything else."""
    if target[0] != kinds.DECL_REF:
        return None
    decl = context.unit.referenced(target[1])
    before = context.env.get(decl.key)
    if not isinstance(before, Poly) or not decl.ctype.is_integer:
        return None
    context.env[decl.key] = before + step
    if context.loop is not None:
        context.loop.defined.add(decl.key)
    return before


@evaluates(kinds.BINARY)
def _binary(context: Context, tree: Tree) -> Operand:
    _, cursor, below = tree
    if len(below) != 2:
        return opaque(context, tree)
    operator = context.clang.getCursorBinaryOperatorKind(cursor)
    if operator == kinds.ASSIGN:
        return _assignment(context, below)
    left = operand(context, below[0])
    right = operand(context, below[1])
    if operator == kinds.COMMA:
        return right
    if operator in kinds.COMPARISONS:
        return compare(context, kinds.COMPARISONS[operator], left, right)
    if operator in kinds.BINARY_NAMES:
        return binary(context, kinds.BINARY_NAMES[operator], left, right)
    if operator not in (kinds.LOGICAL_AND, kinds.LOGICAL_OR):
        return opaque(context, tree)
    op: ArithmeticOp = "and" if operator == kinds.LOGICAL_AND else "or"
    a, b = materialise(context, left), materialise(context, right)
    return context.emit_arithmetic(op, "bool", a, b)


Sides = tuple[RelationalOperator, Operand, Operand]


def comparison(context: Context, tree: Tree, operator: int | None = None) -> Sides | None:
    """The operator of a comparison and its two sides, evaluated; otherwise None.

    ``operator``: that of ``tree``, where it has been asked for already.
    """
    if tree[0] != kinds.BINARY or len(tree[2]) != 2:
        return None
    if operator is None:
        operator = context.clang.getCursorBinaryOperatorKind(tree[1])
    if operator not in kinds.COMPARISONS:
        return None
    left, right = operand(context, tree[2][0]), operand(context, tree[2][1])
    return kinds.COMPARISONS[operator], left, right


def compare(context: Context, operator: RelationalOperator, left: Operand, right: Operand) -> int:
    """``left operator right`` as a value; its type is that of the operands compared."""
    a, b = materialise(context, left), materialise(context, right)
    type_ = common_type(type_of(context, a), type_of(context, b))
    a, b = converted(context, a, type_), converted(context, b, type_)
    return context.emit(Relation(type=type_, args=(a, b), operator=operator))


def _assignment(context: Context, below: list[Tree]) -> Operand:
    target = below[0]
    # C evaluates in no fixed order; the value first reads as people read it: load, compute, store
    result = operand(context, below[1])
    found = place(context, target)
    if found is None:
        return opaque_access(context, target)
    return assign(context, found, result)


@evaluates(kinds.COMPOUND_ASSIGN)
def _compound(context: Context, tree: Tree) -> Operand:
    _, cursor, below = tree
    name = kinds.COMPOUND_NAMES.get(context.clang.getCursorBinaryOperatorKind(cursor))
    if name is None or len(below) != 2:
        return opaque(context, tree)
    found = place(context, below[0])
    if found is None:
        operand(context, below[1])
        return opaque_access(context, below[0])
    right = operand(context, below[1])
    left = places.load(context, found)
    # a sum over loop indices is work; a step by a constant is addressing
    work = isinstance(right, Poly) and not right.names().isdisjoint(context.active)
    if work and isinstance(left, Poly) and context.changes(found.key):
        number = context.read_scalar(found.name, found.key, found.ctype.ir)
        right_number = materialise(context, right)
        result = context.emit_arithmetic(name, found.ctype.ir, number, right_number)
        context.closed[result] = as_poly(context, binary(context, name, left, right))
        return assign(context, found, result)
    return assign(context, found, binary(context, name, left, right))


@evaluates(kinds.CONDITIONAL)
def _conditional(context: Context, tree: Tree) -> Operand:
    below = tree[2]
    if len(below) != 3:
        return opaque(context, tree)
    sides = comparison(context, below[0])
    mark = len(context.values)
    condition = value(context, below[0]) if sides is None else compare(context, *sides)
    tested = len(context.values)
    then, orelse = operand(context, below[1]), operand(context, below[2])
    if isinstance(then, Poly) and isinstance(orelse, Poly) and sides is not None:
        chosen = minimum_or_maximum(sides, then, orelse)
        if chosen is not None:
            context.drop(mark, tested)
            return chosen
    if isinstance(then, Pointer) and isinstance(orelse, Pointer):
        return then if then == orelse else context.emit_opaque("either of two pointers", "ptr")
    a, b = materialise(context, then), materialise(context, orelse)
    type_ = common_type(type_of(context, a), type_of(context, b))
    if is_float(type_):
        a, b = converted(context, a, type_), converted(context, b, type_)
    return context.emit(Selection(type=type_, args=(condition, a, b)))


def minimum_or_maximum(sides: Sides, then: Poly, orelse: Poly) -> Poly | None:
    """``a < b ? a : b`` over closed forms as ``min(a, b)``."""
    name, left, right = sides
    if not isinstance(left, Poly) or not isinstance(right, Poly):
        return None
    return extreme(name, left, right, then, orelse)


@evaluates(*kinds.CASTS)
def _cast(context: Context, tree: Tree) -> Operand:
    below = tree[2]
    if not below:
        return opaque(context, tree)
    ctype = context.unit.types.of_cursor(tree[1])
    inner = operand(context, below[-1])
    if ctype.shape == "pointer" and isinstance(inner, Pointer) and extents.is_variable(ctype):
        given = [child for child in below[:-1] if child[0] >= kinds.UNEXPOSED]
        found = extents.of_cursor(context, tree, given)
        return extents.cast(context, inner, ctype, found)
    return cast(context, inner, ctype)


def cast(context: Context, inner: Operand, ctype: CType) -> Operand:
    """An operand in another type."""
    if ctype.shape == "pointer" and isinstance(inner, Pointer) and ctype.element is not None:
        if ctype.element.bytes == inner.target.bytes or ctype.element.shape == "void":
            return inner
        if ctype.element.shape == "array" and ctype.element.bytes:
            return extents.pointed(context, inner, ctype.element, ())
        return inner._replace(
            target=ctype.element, subscripts=None if inner.offset else (), extents=()
        )
    if ctype.shape != "scalar" or isinstance(inner, Pointer):
        return inner
    if isinstance(inner, Poly) and ctype.is_integer:
        return inner
    number = materialise(context, inner)
    if context.values[number].type == "opaque":
        return context.emit(Conversion(type=ctype.ir, args=(number,)))
    return converted(context, number, ctype.ir)


@evaluates(kinds.INIT_LIST)
def _init_list(context: Context, tree: Tree) -> Operand:
    if len(tree[2]) == 1:
        return operand(context, tree[2][0])
    return opaque(context, tree)
