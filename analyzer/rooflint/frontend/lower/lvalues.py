"""Lvalues: where the expression that is assigned, read or pointed to lives."""

from rooflint.frontend.lower.objects import containers, places
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.dispatch import locates, opaque_access, operand, place
from rooflint.frontend.lower.state.numbers import as_poly
from rooflint.frontend.lower.state.operands import Lvalue, Operand, Pointer, advance_pointer
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir import ZERO, Poly

new = tuple.__new__


@locates(kinds.DECL_REF)
def _variable(context: LoweringContext, tree: SyntaxTree) -> Lvalue | None:
    decl = context.unit.referenced(tree.cursor)
    known = context.env.get(decl.key)
    return known if isinstance(known, Lvalue) else places.variable_place(context, decl)


def scalar_pointed_to(context: LoweringContext, tree: SyntaxTree) -> Lvalue | None:
    """The scalar behind a parameter of an inlined function that was called with ``&x``."""
    decl = context.unit.referenced(tree.cursor)
    known = context.env.get(decl.key)
    if not isinstance(known, Lvalue) or decl.ctype.shape != "pointer" or decl.ctype.reference:
        return None
    return known if known.ctype.shape == "scalar" else None


@locates(kinds.UNARY)
def _unary_place(context: LoweringContext, tree: SyntaxTree) -> Lvalue | None:
    cursor, below = tree.cursor, tree.children
    operator = context.unit.clang.getCursorUnaryOperatorKind(cursor)
    if not below:
        return None
    if operator == kinds.DEREFERENCE:
        if below[0].kind == kinds.DECL_REF and (found := scalar_pointed_to(context, below[0])):
            return found
        pointer = operand(context, below[0])
        return places.pointee(context, pointer) if isinstance(pointer, Pointer) else None
    if operator in (kinds.PRE_INC, kinds.PRE_DEC):
        operand(context, tree)
        return place(context, below[0])
    return None


@locates(*kinds.CASTS)
def _cast_place(context: LoweringContext, tree: SyntaxTree) -> Lvalue | None:
    return place(context, tree.children[-1]) if tree.children else None


@locates(kinds.BINARY, kinds.COMPOUND_ASSIGN)
def _assigned_place(context: LoweringContext, tree: SyntaxTree) -> Lvalue | None:
    cursor, below = tree.cursor, tree.children
    if len(below) != 2:
        return None
    operand(context, tree)
    comma = context.unit.clang.getCursorBinaryOperatorKind(cursor) == kinds.COMMA
    return place(context, below[1 if comma else 0])


def subscript_pointer(context: LoweringContext, tree: SyntaxTree) -> Pointer | None:
    """The pointer to the element that ``a[i]`` names; None when that is no array."""
    below = tree.children
    if len(below) != 2:
        return None
    first, second = below
    base = _base_of(context, first)
    index = operand(context, second)
    if not isinstance(base, Pointer):
        base, index = index, base  # C allows 2[a]
    if not isinstance(base, Pointer):
        return None
    if isinstance(index, Poly) and _may_wrap(context, second, index):
        context.memory.wrapping[base.array] = None
    return advance_pointer(base, index if isinstance(index, Poly) else as_poly(context, index))


def _may_wrap(context: LoweringContext, tree: SyntaxTree, index: Poly) -> bool:
    """Whether a subscript is a sum of variables, computed in unsigned numbers of 32 bits."""
    while tree.kind in (kinds.PAREN, kinds.UNEXPOSED) and len(tree.children) == 1:
        [tree] = tree.children
    terms = [monomial for monomial in index.terms if monomial]
    if tree.kind != kinds.BINARY or len(terms) < 2:
        return False
    return context.unit.types.of_cursor(tree.cursor).ir == "u32"


def _base_of(context: LoweringContext, tree: SyntaxTree) -> Operand:
    """The operand that a subscript applies to: in a template a container's elements too."""
    if tree.kind == kinds.SUBSCRIPT:
        return row(context, tree)
    if context.unit.types.of_cursor(tree.cursor).template in containers.CONTIGUOUS:
        elements = containers.contents(context, tree)
        if elements is not None:
            return elements
    return operand(context, tree)


def row(context: LoweringContext, tree: SyntaxTree) -> Operand:
    """The operand of the subscript ``a[i]``: an element's value, or a row of ``a``."""
    pointer = subscript_pointer(context, tree)
    if pointer is None:
        return opaque_access(context, tree)
    array, offset, target, subscripts, extents, path = pointer
    if target.shape != "array":
        return places.load_pointee(context, pointer)
    if subscripts is not None:
        still = not subscripts and not offset.terms and not path
        subscripts = (ZERO, ZERO) if still else (*subscripts, ZERO)
    inner = target.element or target
    return new(Pointer, (array, offset, inner, subscripts, extents[1:], path))


@locates(kinds.SUBSCRIPT)
def _element(context: LoweringContext, tree: SyntaxTree) -> Lvalue | None:
    pointer = subscript_pointer(context, tree)
    return None if pointer is None else places.pointee(context, pointer)


@locates(kinds.MEMBER_REF)
def _member_place(context: LoweringContext, tree: SyntaxTree) -> Lvalue | None:
    cursor, below = tree.cursor, tree.children
    decl = context.unit.referenced(cursor)
    if decl.kind in (kinds.METHOD, kinds.FUNCTION):
        return None
    if decl.kind in (kinds.VARIABLE, kinds.ENUM_CONSTANT):
        return places.variable_place(context, decl)
    if not below or below[0].kind == kinds.THIS:
        return places.own_field(context, decl)
    if (
        below[0].kind == kinds.CALL
        and context.unit.types.of_cursor(below[0].cursor).shape != "pointer"
    ):
        base = place(context, below[0])
        return places.field(context, base, decl) if base else None
    inner = operand(context, below[0])
    if isinstance(inner, Pointer):
        return places.field(context, places.pointee(context, inner), decl)
    return None
