"""Standard containers, spans and iterators: their elements are array accesses like any other."""

from collections.abc import Callable
from typing import Final

from rooflint.frontend.lower.objects import places
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.dispatch import closed_form, operand, place
from rooflint.frontend.lower.state.numbers import as_poly, binary
from rooflint.frontend.lower.state.operands import (
    POINTER,
    Lvalue,
    Operand,
    Pointer,
    advance_pointer,
)
from rooflint.frontend.lower.state.types import CType
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir import ONE, ZERO, Poly, Provenance, Reason, SourceName
from rooflint.ir.values import ArithmeticOp
from rooflint.startup.late_pattern import late_pattern

CONTIGUOUS = frozenset(("vector", "array", "span", "valarray", "basic_string", "initializer_list"))
_BEGIN = frozenset(("begin", "cbegin", "data", "c_str"))
_END = frozenset(("end", "cend"))
_STEPS = {"operator++": 1, "operator--": -1}
_EXTENT = late_pattern(r"<.*,\s*(\d+)[uUlL]*>\s*$")


def contents(context: LoweringContext, tree: SyntaxTree) -> Pointer | None:
    """A pointer to the first element of a contiguous container; None for anything else."""
    ctype = context.unit.types.of_cursor(tree.cursor)
    if ctype.template not in CONTIGUOUS and ctype.shape != "pointer":
        return None
    found = place(context, tree)
    return contents_of(context, found) if found is not None else None


def contents_of(context: LoweringContext, found: Lvalue) -> Pointer | None:
    """A pointer to the first element of the container that lives at ``found``."""
    ctype = found.ctype
    if ctype.template not in CONTIGUOUS or not ctype.arguments:
        return None
    inner = ctype.arguments[0]
    if ctype.template == "array" and found.array:
        return _array_contents(context, found, inner)
    if not found.subscripts and found.offset.value is not None:
        return _whole(context, found, inner, None)
    pointer = CType("pointer", "ptr", 8, inner)
    return places.loaded_pointer(context, found._replace(ctype=pointer))


def _array_contents(context: LoweringContext, found: Lvalue, inner: CType) -> Pointer:
    """The elements of a ``std::array``, which lie in the object itself."""
    if found.offset or found.subscripts:
        return Pointer(found.array, found.offset, inner, (*(found.subscripts or ()), ZERO))
    match = _EXTENT.search(found.ctype.name)
    extent = int(match[1]) if match else 0
    return _whole(context, found, inner, Poly.constant(extent) if extent else None)


def _whole(context: LoweringContext, found: Lvalue, inner: CType, extent: Poly | None) -> Pointer:
    name = places.place_text(found)
    array = context.memory.arrays.get(name)
    if array is None or not array.extents or array.type != (inner.ir or "opaque"):
        storage = array.storage if array is not None else "member"
        held = array.provenance if array is not None else POINTER
        context.memory.forget(name)
        context.memory.base(name, inner, storage, (extent,), _of_elements(found.ctype, held))
    return Pointer(name, ZERO, inner, ())


def _of_elements(container: CType, held: Provenance) -> Provenance:
    """Of a container's elements: part of it in an array alone, else memory that it owns.

    Two that are members, or reached through pointers, may be one.
    """
    if container.template == "array" or not held.within:
        return held
    return POINTER


def length(context: LoweringContext, tree: SyntaxTree) -> Poly | None:
    """The number of elements of a container."""
    pointer = contents(context, tree)
    if pointer is None:
        return _own_length(context, tree)
    extents = context.memory.arrays[pointer.array].extents
    if extents and extents[-1] is not None and not pointer.offset:
        return extents[-1]
    form = (SourceName(pointer.array, "array"), ".size()")
    return context.symbols.unknown(form, Reason("container-size"), pointer.offset.names())


def _own_length(context: LoweringContext, tree: SyntaxTree) -> Poly | None:
    """That of a container of the project's own: one has the length that the program gives to its
    variable or member, and not the one of all members that its class calls alike."""
    if not context.unit.types.grows(tree.cursor):
        return None
    found = place(context, tree)
    if found is None or found.subscripts:
        return None
    form = (SourceName(places.place_text(found)), ".size()")
    return context.symbols.unknown(form, Reason("container-size"), found.offset.names())


def element(
    context: LoweringContext, name: str, owner: SyntaxTree, arguments: list[SyntaxTree]
) -> Lvalue | None:
    """The element that ``operator[]``, ``at``, ``front``, ``back`` or ``*iterator`` names."""
    if name in _SUBSCRIPTS and len(arguments) == 1:
        base = contents(context, owner) or _iterator(context, owner)
        return _element_at(context, base, lambda: closed_form(context, arguments[0]))
    if name in ("operator*", "operator->") and not arguments:
        return _element_at(context, _iterator(context, owner), lambda: ZERO)
    if name == "front":
        return _element_at(context, contents(context, owner), lambda: ZERO)
    if name == "back":
        last = contents(context, owner)
        return _element_at(context, last, lambda: (length(context, owner) or ONE) - 1)
    return None


_SUBSCRIPTS: Final = ("operator[]", "at", "operator()")


def _element_at(
    context: LoweringContext, base: Pointer | None, index: Callable[[], Poly]
) -> Lvalue | None:
    """The element behind ``base`` that ``index`` numbers, evaluated where there is a base only."""
    return places.pointee(context, advance_pointer(base, index())) if base is not None else None


def method(
    context: LoweringContext, name: str, owner: SyntaxTree, arguments: list[SyntaxTree]
) -> Operand | None:
    """The value of a method of a container or an operator of an iterator."""
    found = element(context, name, owner, arguments)
    if found is not None:
        return places.load(context, found)
    if name in ("size", "length", "extent") and not arguments:
        return length(context, owner)
    if name in _BEGIN:
        return contents(context, owner)
    if name in _END:
        return _end(context, owner)
    return _iterator_operator(context, name, owner, arguments)


def _iterator(context: LoweringContext, tree: SyntaxTree) -> Pointer | None:
    """An iterator (any class whose variable holds a pointer here)."""
    ctype = context.unit.types.of_cursor(tree.cursor)
    if ctype.shape not in ("record", "other", "pointer") or ctype.template in CONTIGUOUS:
        return None
    pointer = operand(context, tree)
    if not isinstance(pointer, Pointer):
        return None
    return pointer if pointer.target.shape != "record" or ctype.shape == "pointer" else None


def _iterator_operator(
    context: LoweringContext, name: str, owner: SyntaxTree, arguments: list[SyntaxTree]
) -> Operand | None:
    if name not in _STEPS and name not in ("operator+", "operator-", "operator+=", "operator-="):
        return None
    base = _iterator(context, owner)
    if base is None:
        return None
    if name in _STEPS:
        after = advance_pointer(base, Poly.constant(_STEPS[name]))
        _store(context, owner, after)
        return base if arguments else after
    if not arguments:
        return None
    right = operand(context, arguments[0])
    if isinstance(right, Pointer):
        return binary(context, "sub", base, right)
    after = advance_pointer(base, as_poly(context, right) * (1 if "+" in name else -1))
    if name.endswith("="):
        _store(context, owner, after)
    return after


def _store(context: LoweringContext, owner: SyntaxTree, after: Pointer) -> None:
    decl = context.unit.referenced(owner.cursor)
    context.bind(decl.key, after)


def free_function(
    context: LoweringContext, name: str, arguments: list[SyntaxTree]
) -> Operand | None:
    """``std::begin(v)``, ``std::end(v)``, ``std::size(v)``, ``std::move(x)``, iterators."""
    if len(arguments) == 1 and name in _FREE_FUNCTIONS:
        return _FREE_FUNCTIONS[name](context, arguments[0])
    if len(arguments) == 2 and name in _ITERATOR_SUMS:
        left = _iterator(context, arguments[0])
        if left is not None:
            return binary(context, _ITERATOR_SUMS[name], left, operand(context, arguments[1]))
    return operand(context, arguments[0]) if name in _HINTS and arguments else None


def _end(context: LoweringContext, tree: SyntaxTree) -> Pointer | None:
    base, size = contents(context, tree), length(context, tree)
    return advance_pointer(base, size) if base is not None and size is not None else None


_ITERATOR_SUMS: Final[dict[str, ArithmeticOp]] = {"operator+": "add", "operator-": "sub"}
_HINTS: Final = ("assume_aligned", "__builtin_assume_aligned", "__builtin_expect")
"""Functions that return their first argument and tell the compiler about it."""
_FREE_FUNCTIONS: Final[dict[str, Callable[[LoweringContext, SyntaxTree], Operand | None]]] = {
    **dict.fromkeys(("begin", "cbegin", "data"), contents),
    **dict.fromkeys(("end", "cend"), _end),
    **dict.fromkeys(("size", "ssize"), length),
    **dict.fromkeys(("move", "forward", "as_const"), operand),
}


def pointer_distance(context: LoweringContext, first: Pointer, last: Operand) -> Poly:
    """Elements from ``first`` to ``last``."""
    if isinstance(last, Pointer) and last.array == first.array:
        found = binary(context, "sub", last, first)
        if isinstance(found, Poly):
            return found
    form = ("distance(", SourceName(first.array, "array"), ")")
    return context.symbols.unknown(form, Reason("iterator-distance"))
