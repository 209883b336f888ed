"""Declarations of local variables and array parameters, by the shape of their type."""

from collections.abc import Callable
from typing import Final

from rooflint.frontend.lower.assignments import assign, copy_members
from rooflint.frontend.lower.objects import extents, places
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.dispatch import operand, place
from rooflint.frontend.lower.state.operands import Lvalue, Pointer
from rooflint.frontend.lower.state.shared import Decl
from rooflint.frontend.lower.state.types import CType, Shape
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir import Poly


def declare(context: LoweringContext, tree: SyntaxTree) -> None:
    """A local variable and its initialiser."""
    decl = context.unit.declared(tree.cursor)
    if decl.ctype.shape == "scalar" and not decl.ctype.reference:
        context.variables.claim(decl)
    context.flow.define(decl.key)
    moves = decl.ctype.is_integer or decl.ctype.shape == "pointer"
    if moves and context.unit.storage_of(decl) == "local":
        context.flow.definitions.declare(decl.key)
    if decl.ctype.reference:
        _declare_reference(context, decl, tree)
    else:
        _DECLARATIONS.get(decl.ctype.shape, _declare_other)(context, decl, tree)


def _initialiser(tree: SyntaxTree) -> SyntaxTree | None:
    """The initialiser of a variable, apart from the extents and types among its children."""
    below = tree.children
    return below[-1] if below and below[-1].kind >= kinds.UNEXPOSED else None


def _declare_other(context: LoweringContext, decl: Decl, tree: SyntaxTree) -> None:
    del decl
    init = _initialiser(tree)
    if init is not None:
        operand(context, init)


def _declare_scalar(context: LoweringContext, decl: Decl, tree: SyntaxTree) -> None:
    init = _initialiser(tree)
    if init is None and not decl.ctype.is_integer:
        return
    name = context.variables.name(decl)
    result = None if init is None else operand(context, init)
    if decl.ctype.is_integer:
        value = result if isinstance(result, Poly) else None
        context.note_definition(name, decl.key, decl.ctype.ir, value, tree.cursor)
    if isinstance(result, Poly) and decl.ctype.is_integer:
        context.bind(decl.key, result)
    elif result is not None:
        assign(context, Lvalue(decl.ctype, name=name, key=decl.key), result, tree.cursor)


def _declare_pointer(context: LoweringContext, decl: Decl, tree: SyntaxTree) -> None:
    if extents.is_variable(decl.ctype):
        _declare_pointer_to_variable_array(context, decl, tree)
    else:
        _declare_scalar(context, decl, tree)


def _declare_pointer_to_variable_array(
    context: LoweringContext, decl: Decl, tree: SyntaxTree
) -> None:
    """``double (*z)[n][m] = p``: its extents are its own, whatever ``p`` points to."""
    given, init = extents.initialiser(context, tree)
    with context.values_apart():
        found = extents.of_cursor(context, tree, given)
    if found is not None:
        context.memory.extend(decl.key, found)
    if init is not None:
        target = Lvalue(decl.ctype, name=context.variables.name(decl), key=decl.key)
        assign(context, target, operand(context, init))


def _declare_reference(context: LoweringContext, decl: Decl, tree: SyntaxTree) -> None:
    below = tree.children
    if not below:
        return
    found = place(context, below[-1])
    if found is not None and (found.array or found.key):
        context.bind(decl.key, found)
        return
    target = Lvalue(decl.ctype, name=context.variables.name(decl), key=decl.key)
    if decl.ctype.shape in ("scalar", "pointer"):
        assign(context, target, operand(context, below[-1]), tree.cursor)
    else:
        result = operand(context, below[-1])
        if isinstance(result, Pointer):
            context.bind(decl.key, places.pointee(context, result))


def _declare_array(context: LoweringContext, decl: Decl, tree: SyntaxTree) -> None:
    below = tree.children
    pointer = places.pointer_of_variable(context, decl)
    name = pointer.array
    if extents.is_variable(decl.ctype):
        given, _ = extents.initialiser(context, tree)
        found = extents.of_cursor(context, tree, given) or extents.named_extents(
            context, name, decl.ctype
        )
        context.memory.update(context.memory.arrays[name]._replace(extents=found))
        pointer = pointer._replace(extents=found[1:])
    elif below and below[-1].kind == kinds.INIT_LIST:
        with context.values_apart():  # an initialiser outside loops: no loop work
            for child in below[-1].children:
                if child.kind != kinds.INIT_LIST:
                    operand(context, child)
    context.bind(decl.key, pointer)


def parameter_extents(context: LoweringContext, tree: SyntaxTree) -> None:
    """Enters a variable-length array parameter (``double A[n][m]``) with its extents."""
    if not tree.children:
        return
    decl = context.unit.declared(tree.cursor)
    ctype = decl.ctype
    inner = ctype.element if ctype.shape == "pointer" else ctype
    if inner is None or inner.shape != "array":
        return
    with context.values_apart():
        pointer = places.pointer_of_variable(context, decl)
        if extents.is_variable(ctype):
            pointer = _with_extents(context, pointer, ctype, tree)
    context.bind(decl.key, pointer)


def _with_extents(
    context: LoweringContext, pointer: Pointer, ctype: CType, tree: SyntaxTree
) -> Pointer:
    given = [child for child in tree.children if child.kind >= kinds.UNEXPOSED]
    spelled = extents.of_cursor(context, tree, given)
    inner = spelled if spelled is not None else extents.named_extents(context, pointer.array, ctype)
    outermost: Poly | None = None
    if ctype.shape == "array" and ctype.extent != extents.OPEN:
        outermost, *rest = inner
        inner = tuple(rest)
    array = context.memory.arrays[pointer.array]
    context.memory.update(array._replace(extents=(outermost, *inner)))
    return pointer._replace(extents=inner)


def _declare_record(context: LoweringContext, decl: Decl, tree: SyntaxTree) -> None:
    init = _initialiser(tree)
    if init is None:
        return
    if decl.ctype.template == "vector" and init.kind == kinds.CALL and init.children:
        _declare_vector(context, decl, init)
    elif init.kind == kinds.LAMBDA and not decl.ctype.template:
        context.function.defer_loops(init)
    else:
        result = operand(context, init)
        if isinstance(result, Pointer):
            _copy_declared(context, decl, result, tree)


def _copy_declared(context: LoweringContext, decl: Decl, source: Pointer, tree: SyntaxTree) -> None:
    """A container or view that is its source from now on, or a copy of a plain record."""
    if decl.ctype.template or not source.is_to_record:
        context.bind(decl.key, source)
    else:
        copy_members(context, places.variable_place(context, decl), source, tree.cursor)


def _declare_vector(context: LoweringContext, decl: Decl, init: SyntaxTree) -> None:
    """``std::vector<double> v(n)``: memory of its own, as long as the constructor says."""
    size = operand(context, init.children[0])
    if isinstance(size, Poly) and decl.ctype.arguments:
        name = context.variables.name(decl)
        context.memory.base(name, decl.ctype.arguments[0], "heap", (size,), places.LOCAL)


_DECLARATIONS: Final[dict[Shape, Callable[[LoweringContext, Decl, SyntaxTree], None]]] = {
    "array": _declare_array,
    "record": _declare_record,
    "pointer": _declare_pointer,
    "scalar": _declare_scalar,
}
