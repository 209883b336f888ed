"""Expressions: one handler a cursor kind; each gives the operand the expression stands for."""

from rooflint.frontend.lower.assignments import assign
from rooflint.frontend.lower.control.no_return import ends_program
from rooflint.frontend.lower.control.null_tests import arm_with_object
from rooflint.frontend.lower.literals import constant, constant_operand, evaluate_integer
from rooflint.frontend.lower.lvalues import row
from rooflint.frontend.lower.objects import extents, places
from rooflint.frontend.lower.state.arithmetic_types import common_type, is_float
from rooflint.frontend.lower.state.choices import choice
from rooflint.frontend.lower.state.context import LoweringContext
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
    convert_value,
    materialise,
    type_of,
)
from rooflint.frontend.lower.state.operands import Lvalue, Operand, Pointer, advance_pointer
from rooflint.frontend.lower.state.shared import Decl
from rooflint.frontend.lower.state.types import CType
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import Cursor
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir import ONE, AddressValue, Conversion, Poly, Relation, Selection
from rooflint.ir.values import ArithmeticOp, RelationalOperator


@evaluates(kinds.DECL_REF)
def _decl_ref(context: LoweringContext, tree: SyntaxTree) -> Operand:
    unit = context.unit
    target = unit.clang.getCursorReferenced(tree.cursor)
    _note_read(context, target)
    known = context.env.get(target.d0)
    if known is not None:
        if isinstance(known, Pointer):
            _note_pointer(context, unit.declared(target), known.array)
        return places.load(context, known) if isinstance(known, Lvalue) else known
    decl = unit.declared(target)
    ctype = decl.ctype
    if ctype.shape == "scalar":
        if ctype.is_integer:
            return _integer_variable(context, decl, tree)
        return context.read_scalar(context.variables.name(decl), decl.key, ctype.ir)
    if ctype.shape in ("array", "pointer"):
        pointer = places.pointer_of_variable(context, decl)
        context.bind(decl.key, pointer)
        _note_pointer(context, decl, pointer.array)
        return pointer
    if ctype.shape == "record":
        return places.load(context, places.variable_place(context, decl))
    number = evaluate_integer(context, tree)  # a template's non-type argument
    if number is not None:
        return Poly.constant(number)
    return context.emit_opaque(decl.name or "a dependent name")


def _note_pointer(context: LoweringContext, decl: Decl, target: str) -> None:
    """Notes that a pointer of the whole program leads to an array, where somebody asks; hardly
    anybody takes the address of one that is ``static``."""
    if context.memory.pointers is None or decl.ctype.shape != "pointer":
        return
    unit = context.unit
    storage = unit.storage_of(decl)
    if storage == "global" and not unit.is_static(decl.cursor):
        name = context.variables.name(decl)
        context.memory.note_pointer(name, decl.ctype, target)
        context.memory.note_cell(name, decl.ctype, storage, places.STATIC)


def _note_read(context: LoweringContext, target: Cursor) -> None:
    """Notes a variable that the loop does not change, where somebody asks what is read."""
    if context.memory.scalars_read is not None and not context.changes(target.d0):
        context.memory.note_scalar(context.variables.name(context.unit.declared(target)))


def _integer_variable(context: LoweringContext, decl: Decl, tree: SyntaxTree) -> Poly:
    """A constant's value, or the size parameter that a variable is which nothing has set."""
    if decl.kind == kinds.ENUM_CONSTANT or decl.ctype.const:
        number = constant(context, decl.key, tree)
        if number is not None:
            return number
    symbol = context.symbols.size(context.variables.name(decl))
    context.bind(decl.key, symbol)
    return symbol


@evaluates(kinds.SUBSCRIPT)
def _subscript(context: LoweringContext, tree: SyntaxTree) -> Operand:
    return row(context, tree)


@evaluates(kinds.MEMBER_REF)
def _member(context: LoweringContext, tree: SyntaxTree) -> Operand:
    decl = context.unit.referenced(tree.cursor)
    if decl.kind == kinds.ENUM_CONSTANT:
        return _decl_ref(context, tree)
    if decl.kind in (kinds.METHOD, kinds.FUNCTION):
        return opaque(context, tree)
    if decl.kind == kinds.VARIABLE:
        return _decl_ref(context, tree)
    found = place(context, tree)
    return opaque_access(context, tree) if found is None else places.load(context, found)


@evaluates(kinds.UNARY)
def _unary(context: LoweringContext, tree: SyntaxTree) -> Operand:
    if not tree.children:
        return constant_operand(context, tree)
    operator = context.unit.clang.getCursorUnaryOperatorKind(tree.cursor)
    [target] = tree.children[:1]
    if operator in kinds.STEPS:
        return _step(context, target, operator, tree.cursor)
    if operator == kinds.DEREFERENCE:
        return _dereferenced(context, tree)
    if operator == kinds.ADDRESS:
        return _address(context, target)
    inner = operand(context, target)
    if operator == kinds.LOGICAL_NOT:
        return context.emit_arithmetic("not", "bool", materialise(context, inner))
    if operator not in (kinds.MINUS, kinds.NOT):
        return inner
    minus = operator == kinds.MINUS
    if isinstance(inner, Poly):
        return -inner if minus else -inner - 1
    number = materialise(context, inner)
    type_ = context.statement.values[number].type
    return context.emit_arithmetic("neg" if minus else "not", type_, number)


def _dereferenced(context: LoweringContext, tree: SyntaxTree) -> Operand:
    lvalue = place(context, tree)
    if lvalue is not None:
        return places.load(context, lvalue)
    if tree.children[0].kind == kinds.THIS:
        return opaque(context, tree)  # the object itself, as in "return *this"
    return opaque_access(context, tree)


def _address(context: LoweringContext, target: SyntaxTree) -> Operand:
    lvalue = place(context, target)
    pointer = places.address(lvalue) if lvalue else None
    if pointer is not None:
        return pointer
    return context.emit(AddressValue(type="ptr", target=lvalue.name if lvalue else "?"))


def _step(context: LoweringContext, target: SyntaxTree, operator: int, cursor: Cursor) -> Operand:
    step = kinds.STEPS[operator]
    counter = _counter(context, target, step, cursor)
    if counter is not None:
        return counter if operator in (kinds.POST_INC, kinds.POST_DEC) else counter + step
    found = place(context, target)
    if found is None:
        return _behind_call(context, target)
    before = places.load(context, found)
    after: Operand
    if isinstance(before, Pointer):
        after = advance_pointer(before, Poly.constant(step))
    else:
        after = binary(context, "add" if step > 0 else "sub", before, ONE)
    assign(context, found, after, cursor)
    return before if operator in (kinds.POST_INC, kinds.POST_DEC) else after


def steps_integer(context: LoweringContext, tree: SyntaxTree) -> bool:
    """Whether ``tree`` steps an integer in closed form, which has then been done."""
    if tree.kind != kinds.UNARY or not tree.children:
        return False
    step = kinds.STEPS.get(context.unit.clang.getCursorUnaryOperatorKind(tree.cursor))
    if step is None:
        return False
    return _counter(context, tree.children[0], step, tree.cursor) is not None


def _counter(
    context: LoweringContext, target: SyntaxTree, step: int, cursor: Cursor
) -> Poly | None:
    """The value before the step of an integer variable in closed form; None for anything else."""
    if target.kind != kinds.DECL_REF:
        return None
    decl = context.unit.referenced(target.cursor)
    before = context.env.get(decl.key)
    if not isinstance(before, Poly) or not decl.ctype.is_integer:
        return None
    context.bind(decl.key, before + step)
    context.flow.define(decl.key)
    name = context.variables.present_name(decl)
    context.note_definition(name, decl.key, decl.ctype.ir, before + step, cursor)
    return before


@evaluates(kinds.BINARY)
def _binary(context: LoweringContext, tree: SyntaxTree) -> Operand:
    cursor, below = tree.cursor, tree.children
    if len(below) != 2:
        return opaque(context, tree)
    operator = context.unit.clang.getCursorBinaryOperatorKind(cursor)
    if operator == kinds.ASSIGN:
        return _assignment(context, tree)
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


def comparison(
    context: LoweringContext, tree: SyntaxTree, operator: int | None = None
) -> Sides | None:
    """The operator of a comparison and its two sides, evaluated; otherwise None.

    ``operator``: that of ``tree``, where it has been asked for already.
    """
    if tree.kind != kinds.BINARY or len(tree.children) != 2:
        return None
    if operator is None:
        operator = context.unit.clang.getCursorBinaryOperatorKind(tree.cursor)
    if operator not in kinds.COMPARISONS:
        return None
    left, right = operand(context, tree.children[0]), operand(context, tree.children[1])
    return kinds.COMPARISONS[operator], left, right


def compare(
    context: LoweringContext, operator: RelationalOperator, left: Operand, right: Operand
) -> int:
    """``left operator right`` as a value; its type is that of the operands compared."""
    a, b = materialise(context, left), materialise(context, right)
    type_ = common_type(type_of(context, a), type_of(context, b))
    a, b = convert_value(context, a, type_), convert_value(context, b, type_)
    return context.emit(Relation(type=type_, args=(a, b), operator=operator))


def _assignment(context: LoweringContext, tree: SyntaxTree) -> Operand:
    below = tree.children
    target = below[0]
    # C evaluates in no fixed order; the value first reads as people read it: load, compute, store
    result = operand(context, below[1])
    found = place(context, target)
    if found is None:
        return _behind_call(context, target)
    return assign(context, found, result, tree.cursor)


def _behind_call(context: LoweringContext, target: SyntaxTree) -> Operand:
    """A place that cannot be told. Of one that a call returns, as ``m[key]`` of a ``std::map``, the
    call is what takes time: it has just been there, so that the place is in the nearest cache."""
    root = target
    while root.kind == kinds.MEMBER_REF and root.children:
        root = root.children[0]
    if root.kind == kinds.CALL and context.unit.referenced(root.cursor).key:
        return operand(context, root)
    return opaque_access(context, target)


@evaluates(kinds.COMPOUND_ASSIGN)
def _compound(context: LoweringContext, tree: SyntaxTree) -> Operand:
    cursor, below = tree.cursor, tree.children
    name = kinds.COMPOUND_NAMES.get(context.unit.clang.getCursorBinaryOperatorKind(cursor))
    if name is None or len(below) != 2:
        return opaque(context, tree)
    found = place(context, below[0])
    if found is None:
        operand(context, below[1])
        return _behind_call(context, below[0])
    right = operand(context, below[1])
    left = places.load(context, found)
    # a sum over loop indices is work; a step by a constant is addressing
    work = isinstance(right, Poly) and not right.names().isdisjoint(context.symbols.active)
    if work and isinstance(left, Poly) and context.changes(found.key):
        number = context.read_scalar(found.name, found.key, found.ctype.ir)
        right_number = materialise(context, right)
        result = context.emit_arithmetic(name, found.ctype.ir, number, right_number)
        context.statement.note_closed(result, as_poly(context, binary(context, name, left, right)))
        return assign(context, found, result, cursor)
    return assign(context, found, binary(context, name, left, right), cursor)


@evaluates(kinds.CONDITIONAL)
def _conditional(context: LoweringContext, tree: SyntaxTree) -> Operand:
    if len(tree.children) != 3:
        return opaque(context, tree)
    with_object = arm_with_object(context.unit, tree)
    if with_object is None:
        return _either_arm(context, tree)
    context.assume("a pointer that a size is read through is not null, though it is tested")
    return operand(context, with_object)


def _either_arm(context: LoweringContext, tree: SyntaxTree) -> Operand:
    below = tree.children
    sides = comparison(context, below[0])
    mark = len(context.statement.values)
    condition = value(context, below[0]) if sides is None else compare(context, *sides)
    tested = len(context.statement.values)
    for arm, other in ((below[1], below[2]), (below[2], below[1])):
        if ends_program(context.unit, arm):
            context.assume("no assertion fails: without the paths that end the program")
            return operand(context, other)
    then, orelse = operand(context, below[1]), operand(context, below[2])
    chosen = _closed_choice(context, sides, then, orelse)
    if chosen is not None:
        context.statement.drop(mark, tested)
        return chosen
    if isinstance(then, Pointer) and isinstance(orelse, Pointer):
        return then if then == orelse else context.emit_opaque("either of two pointers", "ptr")
    a, b = materialise(context, then), materialise(context, orelse)
    type_ = common_type(type_of(context, a), type_of(context, b))
    if is_float(type_):
        a, b = convert_value(context, a, type_), convert_value(context, b, type_)
    return context.emit(Selection(type=type_, args=(condition, a, b)))


def _closed_choice(
    context: LoweringContext, sides: Sides | None, then: Operand, orelse: Operand
) -> Poly | None:
    """``a < b ? a : b`` over closed forms as ``min(a, b)``, and other choices among them."""
    if sides is None or not isinstance(then, Poly) or not isinstance(orelse, Poly):
        return None
    name, left, right = sides
    if not isinstance(left, Poly) or not isinstance(right, Poly):
        return None
    return choice(name, left, right, then, orelse, context.symbols.active)


@evaluates(*kinds.CASTS)
def _cast(context: LoweringContext, tree: SyntaxTree) -> Operand:
    below = tree.children
    if not below:
        return opaque(context, tree)
    ctype = context.unit.types.of_cursor(tree.cursor)
    inner = operand(context, below[-1])
    if ctype.shape == "pointer" and isinstance(inner, Pointer) and extents.is_variable(ctype):
        given = [child for child in below[:-1] if child.kind >= kinds.UNEXPOSED]
        found = extents.of_cursor(context, tree, given)
        return extents.cast(context, inner, ctype, found)
    return cast(context, inner, ctype)


def cast(context: LoweringContext, inner: Operand, ctype: CType) -> Operand:
    """An operand in another type."""
    if isinstance(inner, Pointer):
        if ctype.shape != "pointer" or ctype.element is None:
            return inner
        return _cast_pointer(context, inner, ctype.element)
    if ctype.shape != "scalar" or (isinstance(inner, Poly) and ctype.is_integer):
        return inner
    number = materialise(context, inner)
    if context.statement.values[number].type == "opaque":
        return context.emit(Conversion(type=ctype.ir, args=(number,)))
    return convert_value(context, number, ctype.ir)


def _cast_pointer(context: LoweringContext, inner: Pointer, target: CType) -> Pointer:
    """The pointer as one to elements of another type."""
    if target.bytes == inner.target.bytes or target.shape == "void":
        return inner
    if target.shape == "array" and target.bytes:
        return extents.pointer_to_array(context, inner, target, ())
    return inner._replace(target=target, subscripts=None if inner.offset else (), extents=())


@evaluates(kinds.INIT_LIST)
def _init_list(context: LoweringContext, tree: SyntaxTree) -> Operand:
    if len(tree.children) == 1:
        return operand(context, tree.children[0])
    return opaque(context, tree)
