"""Standard containers, spans and iterators: their elements are array accesses like any other."""

import re

from rooflint.frontend.lower.objects import places
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.dispatch import closed_form, operand, place
from rooflint.frontend.lower.state.numbers import as_poly, binary, moved
from rooflint.frontend.lower.state.operands import POINTER, Lvalue, Operand, Pointer
from rooflint.frontend.lower.state.types import CType
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir import ONE, ZERO, Poly, Provenance, Reason

CONTIGUOUS = frozenset(("vector", "array", "span", "valarray", "basic_string", "initializer_list"))
_BEGIN = frozenset(("begin", "cbegin", "data", "c_str"))
_END = frozenset(("end", "cend"))
_STEPS = {"operator++": 1, "operator--": -1}
_EXTENT = re.compile(r"<.*,\s*(\d+)[uUlL]*>\s*$")


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
    pointer = CType("pointer", "ptr", 8, inner)
    if ctype.template == "array" and found.array:
        match = _EXTENT.search(ctype.name)
        extent = int(match[1]) if match else 0
        if found.offset or found.subscripts:
            return Pointer(found.array, found.offset, inner, (*(found.subscripts or ()), ZERO))
        return _whole(context, found, inner, Poly.constant(extent) if extent else None)
    if not found.subscripts and found.offset.value is not None:
        return _whole(context, found, inner, None)
    return places.loaded_pointer(context, found._replace(ctype=pointer))


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
        return None
    extents = context.memory.arrays[pointer.array].extents
    if extents and extents[-1] is not None and not pointer.offset:
        return extents[-1]
    return context.symbols.unknown(
        f"{pointer.array}.size()", Reason("container-size"), pointer.offset.names()
    )


def element(
    context: LoweringContext, name: str, owner: SyntaxTree, arguments: list[SyntaxTree]
) -> Lvalue | None:
    """The element that ``operator[]``, ``at``, ``front``, ``back`` or ``*iterator`` names."""
    if name in ("operator[]", "at", "operator()") and len(arguments) == 1:
        base = contents(context, owner) or _iterator(context, owner)
        if base is None:
            return None
        return places.pointee(context, moved(base, closed_form(context, arguments[0])))
    if name in ("operator*", "operator->") and not arguments:
        base = _iterator(context, owner)
        return places.pointee(context, base) if base is not None else None
    if name in ("front", "back"):
        base = contents(context, owner)
        if base is None:
            return None
        last = length(context, owner) if name == "back" else ONE
        return places.pointee(context, moved(base, (last or ONE) - 1))
    return None


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
        base, size = contents(context, owner), length(context, owner)
        return moved(base, size) if base is not None and size is not None else None
    return _iterator_operator(context, name, owner, arguments)


def _iterator(context: LoweringContext, tree: SyntaxTree) -> Pointer | None:
    """An iterator (any class whose variable holds a pointer here)."""
    ctype = context.unit.types.of_cursor(tree.cursor)
    if ctype.shape not in ("record", "other", "pointer") or ctype.template in CONTIGUOUS:
        return None
    found = operand(context, tree)
    return (
        found
        if (isinstance(found, Pointer) and found.target.shape != "record")
        or (isinstance(found, Pointer) and ctype.shape == "pointer")
        else None
    )


def _iterator_operator(
    context: LoweringContext, name: str, owner: SyntaxTree, arguments: list[SyntaxTree]
) -> Operand | None:
    if name not in _STEPS and name not in ("operator+", "operator-", "operator+=", "operator-="):
        return None
    base = _iterator(context, owner)
    if base is None:
        return None
    if name in _STEPS:
        after = moved(base, Poly.constant(_STEPS[name]))
        _store(context, owner, after)
        return base if arguments else after
    if not arguments:
        return None
    right = operand(context, arguments[0])
    if isinstance(right, Pointer):
        return binary(context, "sub", base, right)
    after = moved(base, as_poly(context, right) * (1 if "+" in name else -1))
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
    if len(arguments) == 1:
        if name in ("begin", "cbegin", "data"):
            return contents(context, arguments[0])
        if name in ("end", "cend"):
            base, size = contents(context, arguments[0]), length(context, arguments[0])
            return moved(base, size) if base is not None and size is not None else None
        if name in ("size", "ssize"):
            return length(context, arguments[0])
        if name in ("move", "forward", "as_const", "assume_aligned", "__builtin_expect"):
            return operand(context, arguments[0])
    if len(arguments) == 2 and name in ("operator+", "operator-"):
        left = _iterator(context, arguments[0])
        if left is not None:
            return binary(
                context, "add" if name[-1] == "+" else "sub", left, operand(context, arguments[1])
            )
    if name in ("assume_aligned", "__builtin_assume_aligned", "__builtin_expect") and arguments:
        return operand(context, arguments[0])
    return None


def pointer_distance(context: LoweringContext, first: Pointer, last: Operand) -> Poly:
    """Elements from ``first`` to ``last``."""
    if isinstance(last, Pointer) and last.array == first.array:
        found = binary(context, "sub", last, first)
        if isinstance(found, Poly):
            return found
    return context.symbols.unknown(f"distance({first.array})", Reason("iterator-distance"))
