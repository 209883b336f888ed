"""Extents of variable-length arrays: from a declaration, a cast, or the typedef that names them.

libclang shows the extents only where the source spells them, as children of the declaration or the
cast, innermost first. A typedef's are evaluated where it stands, as C does.
"""

from typing import Final

from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.dispatch import closed_form
from rooflint.frontend.lower.state.operands import Pointer
from rooflint.frontend.lower.state.types import CType
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import Type
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir import Poly

VARIABLE: Final = -1
OPEN: Final = -2
"""Extents of an array type that only run time knows, and that are left out: ``double a[][m]``."""


def is_variable(ctype: CType) -> bool:
    """Whether an array, or the array behind a pointer, has an extent that only run time knows."""
    array = ctype.element if ctype.shape == "pointer" else ctype
    while array is not None and array.shape == "array":
        if array.extent == VARIABLE:
            return True
        array = array.element
    return False


def initialiser(
    context: LoweringContext, tree: SyntaxTree
) -> tuple[list[SyntaxTree], SyntaxTree | None]:
    """The spelled extents of a variable-length declaration, and what it is initialised with."""
    given = [child for child in tree.children if child.kind >= kinds.UNEXPOSED]
    init = context.unit.clang.Cursor_getVarDeclInitializer(tree.cursor)
    has_init = bool(given) and init.d1 > 1
    return (given[:-1], given[-1]) if has_init else (given, None)


def remember(context: LoweringContext, tree: SyntaxTree) -> None:
    """Enters a typedef of a variable-length array with its extents."""
    if not tree.children:
        return
    underlying = context.unit.clang.getTypedefDeclUnderlyingType(tree.cursor)
    with context.values_apart():
        found = _of_type(context, underlying, tree.children)
    if found is not None:
        context.memory.extend(tree.cursor.d0, found)


def of_cursor(
    context: LoweringContext, tree: SyntaxTree, given: list[SyntaxTree]
) -> tuple[Poly, ...] | None:
    """All extents of the array that a declaration or cast speaks of, outermost first.

    ``given``: those it spells. None when some of them are nowhere in the source (``auto``).
    """
    return _of_type(context, context.unit.clang.getCursorType(tree.cursor), given)


def _of_type(
    context: LoweringContext, handle: Type, given: list[SyntaxTree]
) -> tuple[Poly, ...] | None:
    dims, inner = _dimensions(context, handle)
    spelled = [dim for dim in dims if dim != OPEN]
    forms = [closed_form(context, tree) for tree in reversed(given)]
    if len(forms) != len(spelled):
        forms = [Poly.constant(dim) for dim in spelled if dim >= 0]
        if len(forms) != len(spelled):
            return None
    return (*forms, *inner)


def _dimensions(context: LoweringContext, handle: Type) -> tuple[list[int], tuple[Poly, ...]]:
    """Extents that a type spells, outermost first, and those of the typedef of its elements."""
    clang = context.unit.clang
    dims: list[int] = []
    while True:
        kind = handle.kind
        if kind == kinds.T_POINTER:
            handle = clang.getPointeeType(handle)
        elif kind in kinds.T_ARRAYS:
            dims.append(_extent(context, handle))
            handle = clang.getArrayElementType(handle)
        else:
            declared = clang.getTypeDeclaration(handle).d0
            if declared in context.memory.variable_extents:
                return dims, context.memory.variable_extents[declared]
            behind = clang.getCanonicalType(handle)
            if behind.kind == kind:
                return dims, ()
            handle = behind


def _extent(context: LoweringContext, handle: Type) -> int:
    if handle.kind == kinds.T_CONSTANT_ARRAY:
        return int(context.unit.clang.getArraySize(handle))
    return OPEN if handle.kind == kinds.T_INCOMPLETE_ARRAY else VARIABLE


def named_extents(context: LoweringContext, name: str, ctype: CType) -> tuple[Poly, ...]:
    """Extents that the source does not show, as size parameters; constant ones as they are."""
    found: list[Poly] = []
    array = ctype.element if ctype.shape == "pointer" else ctype
    while array is not None and array.shape == "array":
        fixed = array.extent >= 0
        number = len(found) + 1
        found.append(
            Poly.constant(array.extent)
            if fixed
            else context.symbols.size(f"extent{number}({name})")
        )
        array = array.element
    return tuple(found)


def pointer_to_array(
    context: LoweringContext, pointer: Pointer, target: CType, extents: tuple[Poly, ...]
) -> Pointer:
    """The pointer as one to the array ``target``; memory of open shape takes this shape."""
    shape, element = [], target
    while element.shape == "array" and element.element is not None:
        shape.append(Poly.constant(element.extent))
        element = element.element
    whole = extents or tuple(shape)
    array = context.memory.arrays.get(pointer.array)
    is_open = array is not None and array.extents == (None,)
    if array is not None and is_open and whole and not pointer.offset:
        context.memory.update(
            array._replace(
                extents=(None, *whole), type=element.ir or "opaque", element_bytes=element.bytes
            )
        )
    moved = pointer.offset or pointer.path
    return Pointer(pointer.array, pointer.offset, target, None if moved else (), extents)


def cast(
    context: LoweringContext, pointer: Pointer, ctype: CType, found: tuple[Poly, ...] | None
) -> Pointer:
    """The pointer as one of the variable-length type ``ctype``."""
    target = ctype.element or ctype
    if found is None:
        # auto, or a type from elsewhere: what the pointer knows already, else sizes of their own
        if is_variable(pointer.target) and pointer.extents:
            return pointer
        found = named_extents(context, pointer.array, ctype)
    if target == pointer.target and found == pointer.extents:
        return pointer
    return pointer_to_array(context, pointer, target, found)
