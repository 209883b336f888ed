"""The ends of objects' lives: the destructors that they run, as classes declare them."""

from typing import Final

from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import Clang, Cursor, Type
from rooflint.frontend.parse.tree import SyntaxTree, child_cursors

MAX_ELEMENTS: Final = 64
"""Objects of an array that is a member whose ends are counted, by judgement."""


def is_implicit(clang: Clang, method: Cursor) -> bool:
    """Whether no class declares a constructor or destructor: it stands where its class does."""
    owner = clang.getCursorLocation(clang.getCursorSemanticParent(method))
    return bool(owner.raw == clang.getCursorLocation(method).raw)


def ends_scalar(clang: Clang, call: SyntaxTree) -> bool:
    """Whether ``x.~T()`` ends the life of a number or a pointer, where nothing happens.

    libclang gives such a call neither a callee nor a name, but the type of a bound method. In a
    template's pattern, where the object's type is open, the answer is no.
    """
    if len(call.children) != 1 or call.children[0].kind != kinds.MEMBER_REF:
        return False
    named = call.children[0]
    if not named.children or clang.spelling(named.cursor):
        return False
    if clang.getCursorType(call.cursor).kind != kinds.T_VOID:
        return False
    kind = clang.getCanonicalType(clang.getCursorType(named.children[0].cursor)).kind
    return kind in (kinds.T_POINTER, kinds.T_ENUM) or kinds.T_VOID < kind < kinds.T_DEPENDENT


def declared_destructors(clang: Clang, declaration: Cursor) -> tuple[Cursor, ...]:
    """The destructors that the end of an object runs: its class's own, or those of its bases and
    members, each as often as it runs. What a library's objects take is part of their making."""
    if not declaration.d0 or clang.Location_isInSystemHeader(clang.getCursorLocation(declaration)):
        return ()
    below = child_cursors(clang, clang.getCursorDefinition(declaration))
    own = [each for each in below if each.kind == kinds.DESTRUCTOR]
    if own:
        return (own[0],)
    found: list[Cursor] = []
    for part in below:
        if part.kind in (kinds.FIELD, kinds.BASE):
            found += _of_part(clang, clang.getCursorType(part))
    return tuple(found)


def _of_part(clang: Clang, handle: Type) -> tuple[Cursor, ...]:
    """Those of an object, or of the elements of an array, at most MAX_ELEMENTS of them."""
    count, handle = 1, clang.getCanonicalType(handle)
    while handle.kind in kinds.T_ARRAYS:
        count = min(MAX_ELEMENTS, count * max(0, clang.getArraySize(handle)))
        handle = clang.getCanonicalType(clang.getArrayElementType(handle))
    return declared_destructors(clang, clang.getTypeDeclaration(handle)) * count
