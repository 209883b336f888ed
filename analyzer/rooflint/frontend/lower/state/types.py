"""C and C++ types as the IR needs them: element type and bytes, pointers, arrays, records."""

from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import CONTINUE, Clang, Cursor, Type
from rooflint.frontend.parse.spellings import without_place
from rooflint.frontend.parse.tree import visit
from rooflint.ir import BYTES
from rooflint.records import NamedTuple
from rooflint.startup.late_pattern import late_pattern

Shape: TypeAlias = Literal["scalar", "pointer", "array", "record", "void", "other"]


class CType(NamedTuple):
    """A type. ``ir`` names a scalar (``f64``); ``element`` is what a pointer or array holds.

    ``extent`` of an array: its elements, -1 for a variable one, -2 for an open one. ``reference``
    marks a C++ reference, whose other fields are those of the type referred to. ``any_type``: a
    type with ``__attribute__((may_alias))``, or another attribute that libclang does not name.
    """

    shape: Shape
    ir: str = ""
    bytes: int = 0
    element: "CType | None" = None
    extent: int = 0
    name: str = ""
    restrict: bool = False
    const: bool = False
    reference: bool = False
    template: str = ""
    arguments: tuple["CType", ...] = ()
    volatile: bool = False
    any_type: bool = False

    @property
    def is_integer(self) -> bool:
        """An integer (or bool, or enumeration) scalar."""
        return self.shape == "scalar" and self.ir[0] in "iub" and self.ir != "bf16"

    @property
    def is_float(self) -> bool:
        """A floating-point or complex scalar, or a vector of them."""
        return self.shape == "scalar" and (self.ir[0] in "fc" or self.ir == "bf16")


_TYPE_PARAMETER = late_pattern(r"^(?:const )?(?:type-parameter-\d+-\d+|[A-Z]\w*)$")
_CONTAINERS: Final = frozenset(("vector", "array", "span", "valarray"))
"""Of the standard library, whose elements a template's parameter may be."""
_GROWING: Final = frozenset(("push_back", "size"))
"""Methods of containers whose length a program decides."""
OTHER = CType("other", "opaque", 0)
INT = CType("scalar", "i32", 4)


class Types:
    """Translates libclang's types, each once."""

    def __init__(self, clang: Clang) -> None:
        self._clang = clang
        self._known: dict[int, CType] = {}
        self._growing: dict[int, bool] = {}

    def grows(self, cursor: Cursor) -> bool:
        """Whether the type of a declaration or expression is made from a class template with
        ``push_back`` and ``size``."""
        clang = self._clang
        handle = clang.getCanonicalType(clang.getCursorType(cursor))
        if handle.kind in kinds.T_REFERENCES:
            handle = clang.getCanonicalType(clang.getPointeeType(handle))
        template = clang.getSpecializedCursorTemplate(clang.getTypeDeclaration(handle))
        key = template.d0
        if key not in self._growing:
            self._growing[key] = bool(key) and self._methods(template) >= _GROWING
        return self._growing[key]

    def _methods(self, declaration: Cursor) -> set[str]:
        found: set[str] = set()

        def callback(cursor: Cursor, parent: Cursor) -> int:
            if cursor.kind == kinds.METHOD:
                found.add(self._clang.spelling(cursor))
            return CONTINUE

        visit(self._clang, declaration, callback)
        return found

    def of_cursor(self, cursor: Cursor) -> CType:
        """The type of a declaration or expression."""
        return self.of(self._clang.getCursorType(cursor))

    def of(self, handle: Type) -> CType:
        """The type behind typedefs, with its own qualifiers."""
        key = handle.d0
        known = self._known.get(key)
        if known is None:
            known = self._translate(handle)
            if self._has_attribute(handle):
                known = known._replace(any_type=True)
            self._known[key] = known
        return known

    def _has_attribute(self, handle: Type) -> bool:
        """Whether a typedef behind the type has an attribute without a kind of its own.

        ``may_alias`` is one; taking another for it costs a proof and never a result.
        """
        clang = self._clang
        declaration = clang.getTypeDeclaration(handle)
        while declaration.kind in (kinds.TYPEDEF, kinds.TYPE_ALIAS):
            attributes: list[int] = []

            def callback(cursor: Cursor, parent: Cursor, found: list[int] = attributes) -> int:
                found.append(cursor.kind)
                return CONTINUE

            visit(clang, declaration, callback)
            if kinds.UNEXPOSED_ATTRIBUTE in attributes:
                return True
            declaration = clang.getTypeDeclaration(clang.getTypedefDeclUnderlyingType(declaration))
        return False

    def _translate(self, handle: Type) -> CType:
        clang = self._clang
        written = handle
        handle = clang.getCanonicalType(handle)
        kind = handle.kind
        if kind == kinds.T_POINTER:
            # the canonical type has lost the attributes of typedefs
            return self._pointer(handle, written if written.kind == kind else handle)
        if kind in _TRANSLATORS:
            return _TRANSLATORS[kind](self, handle)
        name = clang.text(clang.getTypeSpelling(handle))
        if _TYPE_PARAMETER.search(name):
            # only a template that nothing instantiates is lowered with its own parameters
            return CType("scalar", "f64", 8, name=name)
        return self._dependent_standard_type(handle, name)

    def _dependent_standard_type(self, handle: Type, name: str) -> CType:
        """A container or complex number of a template's own parameters; else no type."""
        clang = self._clang
        template = name.removeprefix("const ").partition("<")[0].rpartition("::")[2]
        known = template in _CONTAINERS or template == "complex"
        if not known or clang.Type_getNumTemplateArguments(handle) < 1:
            return OTHER._replace(name=name)
        scope = clang.getCursorSemanticParent(clang.getTypeDeclaration(handle))
        inner = self.of(clang.Type_getTemplateArgumentAsType(handle, 0))
        if inner.shape not in ("scalar", "pointer") or clang.spelling(scope) != "std":
            return OTHER._replace(name=name)
        # libclang knows no size of a type that depends on a template
        const = bool(clang.isConstQualifiedType(handle))
        if template == "complex":
            return CType("scalar", f"c{16 * inner.bytes}", 2 * inner.bytes, const=const)
        return CType(
            "record", "record", 0, name=name, const=const, template=template, arguments=(inner,)
        )

    def _pointer(self, handle: Type, written: Type) -> CType:
        restrict = bool(self._clang.isRestrictQualifiedType(handle))
        # a record may point to itself: its own entry must exist before its pointee is asked for
        self._known[handle.d0] = CType("pointer", "ptr", 8, OTHER, restrict=restrict)
        pointee = self.of(self._clang.getPointeeType(written))
        return self._settle(handle, CType("pointer", "ptr", 8, pointee, restrict=restrict))

    def _reference(self, handle: Type) -> CType:
        return self.of(self._clang.getPointeeType(handle))._replace(reference=True)

    def _enumeration(self, handle: Type) -> CType:
        declaration = self._clang.getTypeDeclaration(handle)
        return self.of(self._clang.getEnumDeclIntegerType(declaration))

    def _complex(self, handle: Type) -> CType:
        part = self.of(self._clang.getElementType(handle))
        bits = 160 if part.ir == "f80" else 16 * part.bytes
        return CType("scalar", f"c{bits}", 2 * part.bytes)

    def _void(self, handle: Type) -> CType:
        del handle
        return CType("void", "void", 1)

    def _scalar(self, handle: Type) -> CType:
        clang, ir = self._clang, kinds.SCALAR_TYPES[handle.kind]
        const = bool(clang.isConstQualifiedType(handle))
        volatile = bool(clang.isVolatileQualifiedType(handle))
        return CType("scalar", ir, BYTES[ir], const=const, volatile=volatile)

    def _array(self, handle: Type) -> CType:
        element = self.of(self._clang.getArrayElementType(handle))
        extent = {kinds.T_CONSTANT_ARRAY: -3, kinds.T_INCOMPLETE_ARRAY: -2}.get(handle.kind, -1)
        if extent == -3:
            extent = self._clang.getArraySize(handle)
        size = element.bytes * extent if extent >= 0 else 0
        return CType("array", element.ir, size, element, extent, const=element.const)

    def _vector(self, handle: Type) -> CType:
        element = self.of(self._clang.getElementType(handle))
        lanes = self._clang.getNumElements(handle)
        return CType("scalar", f"{element.ir}x{lanes}", element.bytes * lanes)

    def _record(self, handle: Type) -> CType:
        clang = self._clang
        spelling = clang.text(clang.getTypeSpelling(handle))
        const = bool(clang.isConstQualifiedType(handle))
        name = without_place(spelling).removeprefix("const ").removeprefix("volatile ")
        size = max(0, clang.Type_getSizeOf(handle))
        plain = CType("record", "record", size, name=name, const=const)
        if "<" not in name:
            return plain
        self._known[handle.d0] = plain
        template = name[: name.index("<")].rpartition("::")[2]
        if template == "complex" and name.startswith("std::"):
            part = self.of(clang.Type_getTemplateArgumentAsType(handle, 0))
            return self._settle(
                handle, CType("scalar", f"c{16 * part.bytes}", 2 * part.bytes, const=const)
            )
        arguments = tuple(
            self.of(argument) if argument.kind else OTHER
            for argument in (
                clang.Type_getTemplateArgumentAsType(handle, i)
                for i in range(min(2, max(0, clang.Type_getNumTemplateArguments(handle))))
            )
        )
        return self._settle(handle, plain._replace(template=template, arguments=arguments))

    def _settle(self, handle: Type, ctype: CType) -> CType:
        """Replaces the entry made for the sake of types that contain themselves."""
        self._known[handle.d0] = ctype
        return ctype


_TRANSLATORS: Final[dict[int, Callable[[Types, Type], CType]]] = {
    **dict.fromkeys(kinds.SCALAR_TYPES, Types._scalar),
    **dict.fromkeys(kinds.T_ARRAYS, Types._array),
    **dict.fromkeys(kinds.T_REFERENCES, Types._reference),
    **dict.fromkeys(kinds.T_VECTORS, Types._vector),
    kinds.T_RECORD: Types._record,
    kinds.T_ENUM: Types._enumeration,
    kinds.T_COMPLEX: Types._complex,
    kinds.T_VOID: Types._void,
}
