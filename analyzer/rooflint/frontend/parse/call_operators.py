"""Objects that code calls like functions: lambdas, classes with a call operator, ``std::function``.

libclang's type of a lambda is a class of its own, whose call operator is the lambda's body.
"""

from typing import Final

from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import Clang, Cursor, Type
from rooflint.frontend.parse.spellings import without_place
from rooflint.frontend.parse.tree import child_cursors

_OPERATORS: Final = frozenset((kinds.METHOD, kinds.FUNCTION_TEMPLATE))
_WRAPPERS: Final = frozenset(("function", "move_only_function", "copyable_function"))
"""Classes of the standard library that hold any object of one type of call."""


class CallOperators:
    """The call operators of the types of one translation unit; each is asked for once."""

    def __init__(self, clang: Clang) -> None:
        self._clang = clang
        self._found: dict[int, Cursor | None] = {}

    def of_type(self, handle: Type) -> Cursor | None:
        """The only call operator of a class of the program, or of what a reference leads to."""
        declaration = self._class_of(handle)
        if declaration is None:
            return None
        if declaration.d0 not in self._found:
            self._found[declaration.d0] = self._operator(declaration)
        return self._found[declaration.d0]

    def is_called(self, handle: Type) -> bool:
        """Whether objects of the type are called like functions."""
        return self.of_type(handle) is not None or bool(self.wrapped_signature(handle))

    def wrapped_signature(self, handle: Type) -> str:
        """The type of the functions that a ``std::function`` holds; empty for all other types."""
        declaration = self._class_of(handle)
        if declaration is None or self._clang.spelling(declaration) not in _WRAPPERS:
            return ""
        if not self._is_library(declaration):
            return ""
        canonical = self.object_type(handle)
        if self._clang.Type_getNumTemplateArguments(canonical) < 1:
            return ""
        wrapped = self._clang.Type_getTemplateArgumentAsType(canonical, 0)
        return plain_signature(self._clang, wrapped)

    def object_type(self, handle: Type) -> Type:
        """The type of an object, or of what a reference leads to."""
        canonical: Type = self._clang.getCanonicalType(handle)
        if canonical.kind in kinds.T_REFERENCES:
            canonical = self._clang.getCanonicalType(self._clang.getPointeeType(canonical))
        return canonical

    def _class_of(self, handle: Type) -> Cursor | None:
        canonical = self.object_type(handle)
        if canonical.kind != kinds.T_RECORD:
            return None
        declaration: Cursor = self._clang.getTypeDeclaration(canonical)
        return declaration if declaration.d0 else None

    def _operator(self, declaration: Cursor) -> Cursor | None:
        if self._is_library(declaration):
            return None
        definition = self._clang.getCursorDefinition(declaration)
        below = child_cursors(self._clang, definition if definition.d0 else declaration)
        found = [
            each
            for each in below
            if each.kind in _OPERATORS and self._clang.spelling(each) == "operator()"
        ]
        return found[0] if len(found) == 1 else None

    def _is_library(self, declaration: Cursor) -> bool:
        return bool(
            self._clang.Location_isInSystemHeader(self._clang.getCursorLocation(declaration))
        )


def plain_signature(clang: Clang, handle: Type) -> str:
    """The type of a function, or of a call operator, which may be ``const``, as code that calls it
    sees it."""
    canonical = clang.getCanonicalType(handle)
    return without_place(clang.text(clang.getTypeSpelling(canonical))).removesuffix(" const")
