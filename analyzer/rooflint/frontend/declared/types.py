"""Declared types down to numbers: what a caller has to bring for a parameter."""

from typing import Final

from rooflint.frontend.declared.casts import CastTypes
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import CONTINUE, Clang, Cursor, FieldVisitor, Type
from rooflint.frontend.parse.tree import visit
from rooflint.ir.signature import (
    DeclaredType,
    FixedArrayType,
    MemberType,
    NumberType,
    OpaqueType,
    PointerType,
    RecordType,
    StandardVectorType,
)

_BASE: Final = 44
"""``CXCursor_CXXBaseSpecifier``."""
_FLOATS: Final = frozenset((21, 22, 23, 30, 31, 32, 39))
_BOOL: Final = 3
_DEEPEST: Final = 8
"""Records inside records: HPCG's multigrid data nest 4 deep."""
_MOST_MEMBERS: Final = 400
"""Members of one type, nested ones included; LULESH's domain has 90."""


class DeclaredTypes:
    """Reads libclang's types; each parameter's anew, as its tree ends where it meets itself."""

    def __init__(self, clang: Clang, casts: CastTypes) -> None:
        self._clang = clang
        self._casts = casts
        self._open: list[str] = []
        self._members = 0

    def of(self, handle: Type) -> DeclaredType:
        """The type behind typedefs and references."""
        self._members = 0
        return self._type(handle)

    def of_parameter(self, cursor: Cursor) -> DeclaredType:
        """The type of a parameter; an array is a pointer to its elements there."""
        handle = self._converted(cursor)
        found = self.of(handle)
        is_array = self._clang.getCanonicalType(handle).kind in kinds.T_ARRAYS
        if is_array and isinstance(found, FixedArrayType):
            return PointerType(spelling="", target=found.element)
        return found

    def _converted(self, cursor: Cursor) -> Type:
        """The type of a declaration, or what its pointer is converted to."""
        return self._casts.get(cursor.d0) or self._clang.getCursorType(cursor)

    def is_reference(self, handle: Type) -> bool:
        """Whether it is a C++ reference."""
        return self._clang.getCanonicalType(handle).kind in kinds.T_REFERENCES

    def is_const(self, handle: Type) -> bool:
        """Whether an object of the type cannot be written, or its elements cannot."""
        clang = self._clang
        handle = clang.getCanonicalType(handle)
        while handle.kind in kinds.T_ARRAYS:
            handle = clang.getArrayElementType(handle)
        return bool(clang.isConstQualifiedType(handle))

    def _type(self, handle: Type) -> DeclaredType:
        clang = self._clang
        handle = clang.getCanonicalType(handle)
        kind = handle.kind
        if kind in kinds.T_REFERENCES:
            return self._type(clang.getPointeeType(handle))
        spelling = self._spelling(handle)
        if kind in kinds.SCALAR_TYPES:
            return self._number(handle, spelling)
        if kind == kinds.T_ENUM:
            number = clang.getEnumDeclIntegerType(clang.getTypeDeclaration(handle))
            size = max(0, clang.Type_getSizeOf(number))
            return NumberType(spelling=spelling, kind="integer", bytes=size)
        if kind in (kinds.T_COMPLEX, *kinds.T_VECTORS):
            lanes = 2 if kind == kinds.T_COMPLEX else clang.getNumElements(handle)
            return self._row(clang.getElementType(handle), lanes, spelling)
        if kind == kinds.T_POINTER:
            return self._pointer(clang.getPointeeType(handle), spelling)
        if kind in kinds.T_ARRAYS:
            length = clang.getArraySize(handle) if kind == kinds.T_CONSTANT_ARRAY else 0
            return self._row(clang.getArrayElementType(handle), length, spelling)
        if kind == kinds.T_RECORD:
            return self._record(handle, spelling)
        return OpaqueType(spelling=spelling, bytes=0)

    def _spelling(self, handle: Type) -> str:
        """As a declaration at the end of the file can write it."""
        text = self._clang.text(self._clang.getTypeSpelling(handle))
        text = text.replace("(anonymous namespace)::", "")
        if "(unnamed" in text or "(anonymous" in text:
            return ""
        return text.removeprefix("const ").removeprefix("volatile ")

    def _number(self, handle: Type, spelling: str) -> NumberType:
        size = max(0, self._clang.Type_getSizeOf(handle))
        if handle.kind == _BOOL:
            return NumberType(spelling=spelling, kind="bool", bytes=size)
        kind = handle.kind in _FLOATS
        return NumberType(spelling=spelling, kind="float" if kind else "integer", bytes=size)

    def _row(self, element: Type, length: int, spelling: str) -> FixedArrayType:
        return FixedArrayType(spelling=spelling, element=self._type(element), length=length)

    def _pointer(self, target: Type, spelling: str) -> PointerType:
        kind = self._clang.getCanonicalType(target).kind
        if kind in kinds.T_FUNCTIONS or kind == kinds.T_VOID:
            function = kind in kinds.T_FUNCTIONS
            return PointerType(spelling=spelling, target=None, function=function)
        pointee = self._spelling(self._clang.getCanonicalType(target))
        leads_back = pointee in self._open
        if kind == kinds.T_RECORD and self._is_repeated():
            size = max(0, self._clang.Type_getSizeOf(target))
            return PointerType(
                spelling=spelling,
                target=OpaqueType(spelling=pointee, bytes=size),
                leads_back=True,
            )
        return PointerType(spelling=spelling, target=self._type(target), leads_back=leads_back)

    def _is_repeated(self) -> bool:
        """Whether a record lies inside itself: one level of that is enough."""
        return len(set(self._open)) < len(self._open)

    def _record(self, handle: Type, spelling: str) -> DeclaredType:
        clang = self._clang
        size = max(0, clang.Type_getSizeOf(handle))
        if spelling.startswith("std::"):
            return self._of_library(handle, spelling, size)
        if len(self._open) >= _DEEPEST:
            return OpaqueType(spelling=spelling, bytes=size)
        self._open.append(spelling)
        try:
            members = self._bases(handle) + self._fields(handle)
        finally:
            self._open.pop()
        if not members and size == 0:
            return OpaqueType(spelling=spelling, bytes=0)
        trivial = bool(clang.isPODType(handle))
        return RecordType(spelling=spelling, bytes=size, members=members, trivial=trivial)

    def _of_library(self, handle: Type, spelling: str, size: int) -> DeclaredType:
        first = self._clang.Type_getTemplateArgumentAsType(handle, 0)
        if spelling.startswith("std::complex<"):
            return self._row(first, 2, spelling)
        if spelling.startswith("std::vector<"):
            element = self._type(first)
            if not (isinstance(element, NumberType) and element.kind == "bool"):
                return StandardVectorType(spelling=spelling, element=element)
        return OpaqueType(spelling=spelling, bytes=size)

    def _bases(self, handle: Type) -> tuple[MemberType, ...]:
        bases: list[Type] = []

        def callback(cursor: Cursor, parent: Cursor) -> int:
            if cursor.kind == _BASE:
                bases.append(self._clang.getCursorType(cursor))
            return CONTINUE

        visit(self._clang, self._clang.getTypeDeclaration(handle), callback)
        return tuple([member for base in bases for member in self._members_of(base)])

    def _members_of(self, handle: Type) -> tuple[MemberType, ...]:
        record = self._type(handle)
        return record.members if isinstance(record, RecordType) else ()

    def _fields(self, handle: Type) -> tuple[MemberType, ...]:
        clang = self._clang
        cursors: list[Cursor] = []

        def callback(cursor: Cursor, _: object) -> int:
            cursors.append(Cursor.from_buffer_copy(cursor))
            return 1

        clang.Type_visitFields(handle, FieldVisitor(callback), None)
        if clang.getTypeDeclaration(handle).kind == kinds.UNION:
            cursors = cursors[:1]  # the others share its memory
        members: list[MemberType] = []
        for cursor in cursors:
            self._members += 1
            if clang.getFieldDeclBitWidth(cursor) >= 0 or self._members > _MOST_MEMBERS:
                continue  # a bit field has no address
            members += self._member(cursor)
        return tuple(members)

    def _member(self, cursor: Cursor) -> list[MemberType]:
        clang = self._clang
        handle, name = self._converted(cursor), clang.spelling(cursor)
        if (
            not name or "(" in name
        ):  # the members of an anonymous record are those of the one around it
            return list(self._members_of(handle))
        member = MemberType(
            name=name,
            type=self._type(handle),
            reference=self.is_reference(handle),
            const=self.is_const(handle),
        )
        return [member]
