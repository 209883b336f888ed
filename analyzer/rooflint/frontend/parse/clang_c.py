"""The part of libclang's C interface that the front end uses, through ctypes.

Own declarations instead of ``clang.cindex``: one callback per cursor costs a sixth of a walk with
its cursor objects, and operator kinds are missing from its 18.1.1 bindings. The same declarations
ran unchanged on libclang 18, 19 and 22.
"""

import ctypes
import os
import sys
from collections.abc import Sequence
from ctypes import POINTER, c_char_p, c_int, c_size_t, c_uint, c_void_p
from typing import TYPE_CHECKING, Any

from rooflint.compile_flags.installed import library_path
from rooflint.errors import AnalysisError
from rooflint.frontend.parse.clang_arguments import refuse_unexpected

BREAK, CONTINUE, RECURSE = 0, 1, 2
SEVERITY_ERROR = 3
RECORD_PREPROCESSING, SKIP_BODIES, KEEP_GOING = 0x01, 0x40, 0x200
PREAMBLE_FROM_THE_FIRST_PARSE = 0x04 | 0x100
PREAMBLES_IN_MEMORY = 0x04
"""The third of the bit fields of CXIndexOptions: a confined process can write no file."""


class Cursor(ctypes.Structure):
    """CXCursor. ``d0`` is the declaration, ``d1`` the statement or expression (0 or 1 if none)."""

    _fields_ = (
        ("kind", c_int),
        ("xdata", c_int),
        ("d0", c_size_t),
        ("d1", c_size_t),
        ("d2", c_size_t),
    )
    kind: int
    xdata: int
    d0: int
    d1: int
    d2: int

    @property
    def key(self) -> int:
        """The identity of a cursor: the address of the node in clang's own tree."""
        return self.d1 if self.d1 > 1 else self.d0


class Type(ctypes.Structure):
    """CXType."""

    _fields_ = (("kind", c_int), ("d0", c_size_t), ("d1", c_size_t))
    kind: int
    d0: int
    d1: int


class String(ctypes.Structure):
    """CXString; ``Clang.text`` reads and disposes it."""

    _fields_ = (("data", c_char_p), ("flags", c_uint))
    data: bytes | None
    flags: int


class Location(ctypes.Structure):
    """CXSourceLocation."""

    _fields_ = (("d0", c_size_t), ("d1", c_size_t), ("raw", c_uint))
    raw: int


class Range(ctypes.Structure):
    """CXSourceRange; ``begin`` and ``end`` are raw locations of the source manager."""

    _fields_ = (("d0", c_size_t), ("d1", c_size_t), ("begin", c_uint), ("end", c_uint))
    begin: int
    end: int


class RangeList(ctypes.Structure):
    """CXSourceRangeList."""

    _fields_ = (("count", c_uint), ("ranges", POINTER(Range)))


class UnsavedFile(ctypes.Structure):
    """CXUnsavedFile: a file whose contents come from memory."""

    _fields_ = (("name", c_char_p), ("contents", c_char_p), ("length", ctypes.c_ulong))


class IndexOptions(ctypes.Structure):
    """CXIndexOptions; ``flags`` are its bit fields, which Windows' compilers give a word of their
    own."""

    _fields_ = (
        ("size", c_uint),
        ("background_indexing", ctypes.c_ubyte),
        ("background_editing", ctypes.c_ubyte),
        ("flags", c_uint if sys.platform == "win32" else ctypes.c_ushort),
        ("preamble_folder", c_char_p),
        ("invocation_folder", c_char_p),
    )


Visitor = ctypes.CFUNCTYPE(c_int, Cursor, Cursor, c_void_p)
FieldVisitor = ctypes.CFUNCTYPE(c_int, Cursor, c_void_p)
InclusionVisitor = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_uint, c_void_p)

_FUNCTIONS: tuple[tuple[str, object, tuple[object, ...]], ...] = (
    ("createIndex", c_void_p, (c_int, c_int)),
    ("createIndexWithOptions", c_void_p, (POINTER(IndexOptions),)),
    ("disposeIndex", None, (c_void_p,)),
    (
        "parseTranslationUnit2",
        c_int,
        (
            c_void_p,
            c_char_p,
            POINTER(c_char_p),
            c_int,
            POINTER(UnsavedFile),
            c_uint,
            c_uint,
            POINTER(c_void_p),
        ),
    ),
    ("reparseTranslationUnit", c_int, (c_void_p, c_uint, POINTER(UnsavedFile), c_uint)),
    ("disposeTranslationUnit", None, (c_void_p,)),
    ("getTranslationUnitCursor", Cursor, (c_void_p,)),
    ("getNumDiagnostics", c_uint, (c_void_p,)),
    ("getDiagnostic", c_void_p, (c_void_p, c_uint)),
    ("disposeDiagnostic", None, (c_void_p,)),
    ("getDiagnosticSeverity", c_int, (c_void_p,)),
    ("getDiagnosticSpelling", String, (c_void_p,)),
    ("getDiagnosticLocation", Location, (c_void_p,)),
    ("getDiagnosticCategoryText", String, (c_void_p,)),
    ("getCString", c_char_p, (String,)),
    ("disposeString", None, (String,)),
    ("visitChildren", c_uint, (Cursor, Visitor, c_void_p)),
    ("getInclusions", None, (c_void_p, InclusionVisitor, c_void_p)),
    ("getFile", c_void_p, (c_void_p, c_char_p)),
    ("getFileName", String, (c_void_p,)),
    ("getFileContents", c_void_p, (c_void_p, c_void_p, POINTER(c_size_t))),
    ("getLocationForOffset", Location, (c_void_p, c_void_p, c_uint)),
    ("getCursorLocation", Location, (Cursor,)),
    ("Location_isInSystemHeader", c_int, (Location,)),
    ("getCursorExtent", Range, (Cursor,)),
    ("getRangeStart", Location, (Range,)),
    ("getRangeEnd", Location, (Range,)),
    *(
        (
            name,
            None,
            (Location, POINTER(c_void_p), POINTER(c_uint), POINTER(c_uint), POINTER(c_uint)),
        )
        for name in ("getExpansionLocation", "getFileLocation")
    ),
    ("getSkippedRanges", POINTER(RangeList), (c_void_p, c_void_p)),
    ("disposeSourceRangeList", None, (POINTER(RangeList),)),
    ("getCursorSpelling", String, (Cursor,)),
    ("getCursorUSR", String, (Cursor,)),
    ("getCursorPrettyPrinted", String, (Cursor, c_void_p)),
    ("getCursorReferenced", Cursor, (Cursor,)),
    ("getCursorDefinition", Cursor, (Cursor,)),
    ("getCursorSemanticParent", Cursor, (Cursor,)),
    ("getCursorLexicalParent", Cursor, (Cursor,)),
    ("getCanonicalCursor", Cursor, (Cursor,)),
    ("getSpecializedCursorTemplate", Cursor, (Cursor,)),
    ("getCursorBinaryOperatorKind", c_int, (Cursor,)),
    ("getCursorUnaryOperatorKind", c_int, (Cursor,)),
    ("getCursorType", Type, (Cursor,)),
    ("getCursorResultType", Type, (Cursor,)),
    ("getCanonicalType", Type, (Type,)),
    ("getPointeeType", Type, (Type,)),
    ("getArrayElementType", Type, (Type,)),
    ("getArraySize", ctypes.c_longlong, (Type,)),
    ("getElementType", Type, (Type,)),
    ("getNumElements", ctypes.c_longlong, (Type,)),
    ("getEnumDeclIntegerType", Type, (Cursor,)),
    ("getTypeDeclaration", Cursor, (Type,)),
    ("getTypedefDeclUnderlyingType", Type, (Cursor,)),
    ("Cursor_getVarDeclInitializer", Cursor, (Cursor,)),
    ("getTypeSpelling", String, (Type,)),
    ("isConstQualifiedType", c_uint, (Type,)),
    ("isRestrictQualifiedType", c_uint, (Type,)),
    ("isVolatileQualifiedType", c_uint, (Type,)),
    ("Type_getSizeOf", ctypes.c_longlong, (Type,)),
    ("Type_getNumTemplateArguments", c_int, (Type,)),
    ("Type_getTemplateArgumentAsType", Type, (Type, c_uint)),
    ("Cursor_getOffsetOfField", ctypes.c_longlong, (Cursor,)),
    ("Cursor_getStorageClass", c_int, (Cursor,)),
    ("getCursorTLSKind", c_int, (Cursor,)),
    ("Type_visitFields", c_uint, (Type, FieldVisitor, c_void_p)),
    ("getFieldDeclBitWidth", c_int, (Cursor,)),
    ("getNumOverloadedDecls", c_uint, (Cursor,)),
    ("getOverloadedDecl", Cursor, (Cursor, c_uint)),
    ("getOverriddenCursors", None, (Cursor, POINTER(POINTER(Cursor)), POINTER(c_uint))),
    ("disposeOverriddenCursors", None, (POINTER(Cursor),)),
    ("CXXMethod_isStatic", c_uint, (Cursor,)),
    ("CXXMethod_isVirtual", c_uint, (Cursor,)),
    ("isPODType", c_uint, (Type,)),
    ("getNumOverloadedDecls", c_uint, (Cursor,)),
    ("getOverloadedDecl", Cursor, (Cursor, c_uint)),
    ("Cursor_getNumArguments", c_int, (Cursor,)),
    ("Cursor_getArgument", Cursor, (Cursor, c_uint)),
    ("Cursor_Evaluate", c_void_p, (Cursor,)),
    ("EvalResult_getKind", c_int, (c_void_p,)),
    ("EvalResult_getAsLongLong", ctypes.c_longlong, (c_void_p,)),
    ("EvalResult_getAsDouble", ctypes.c_double, (c_void_p,)),
    ("EvalResult_dispose", None, (c_void_p,)),
)


_SLOW = ("parseTranslationUnit2", "reparseTranslationUnit", "disposeTranslationUnit")
_FAILURES = {1: "failure", 2: "the parser crashed", 3: "bad arguments", 4: "broken AST file"}


class Clang:
    """The loaded library: its functions without the ``clang_`` prefix, and a few conveniences."""

    def __init__(self) -> None:
        path = str(library_path())
        # Other threads run while a file is parsed; around the many short calls, and the callbacks
        # in them, giving up the interpreter's lock and taking it again would cost as much as they.
        library, parser = ctypes.PyDLL(path), ctypes.CDLL(path)
        for name, result, arguments in _FUNCTIONS:
            function = getattr(parser if name in _SLOW else library, f"clang_{name}")
            function.restype = result
            function.argtypes = arguments
            setattr(self, name, function)
        self.index = self.createIndex(0, 0)
        options = IndexOptions(size=ctypes.sizeof(IndexOptions), flags=PREAMBLES_IN_MEMORY)
        self.preamble_index = self.createIndexWithOptions(ctypes.byref(options))

    if TYPE_CHECKING:  # at run time it would slow down every use of a function

        def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - any of _FUNCTIONS
            ...

    def text(self, string: String) -> str:
        """The Python string of a CXString, which is disposed."""
        # data is the text itself, unless the flags say that it is a buffer of libclang's own
        flags = string.flags
        raw = string.data if flags < 2 else self.getCString(string)
        result = raw.decode("utf-8", "replace") if raw else ""
        if flags:
            self.disposeString(string)
        return result

    def spelling(self, cursor: Cursor) -> str:
        """A cursor's name."""
        return self.text(self.getCursorSpelling(cursor))

    def overridden(self, method: Cursor) -> list[Cursor]:
        """The virtual functions that a member function overrides, those of distant bases too."""
        found: dict[int, Cursor] = {}
        waiting = [method]
        while waiting:
            for each in self._overridden_directly(waiting.pop()):
                if each.d0 not in found:
                    found[each.d0] = each
                    waiting.append(each)
        return list(found.values())

    def _overridden_directly(self, method: Cursor) -> list[Cursor]:
        cursors, count = POINTER(Cursor)(), c_uint()
        self.getOverriddenCursors(method, ctypes.byref(cursors), ctypes.byref(count))
        copies = [Cursor.from_buffer_copy(cursors[place]) for place in range(count.value)]
        if count.value:
            self.disposeOverriddenCursors(cursors)
        return copies

    def overloads(self, reference: Cursor) -> list[Cursor]:
        """The functions that a name in a template may mean."""
        count = self.getNumOverloadedDecls(reference)
        return [self.getOverloadedDecl(reference, number) for number in range(count)]

    def included(self, unit: int) -> tuple[str, ...]:
        """The names under which libclang opened the files that a translation unit includes."""
        files: list[int] = []

        def callback(file: int, stack: int, depth: int, data: int) -> None:
            if depth:  # the file itself has none
                files.append(file)

        self.getInclusions(unit, InclusionVisitor(callback), None)
        names = (self.getFileName(file) for file in files)
        return tuple([os.fsdecode(self.getCString(name) or b"") for name in names])

    def text_read(self, unit: int, name: str) -> bytes | None:
        """The text of a file as libclang read it for a translation unit; None where it did not."""
        file, size = self.getFile(unit, os.fsencode(name)), c_size_t()
        begin = self.getFileContents(unit, file, ctypes.byref(size)) if file else None
        return ctypes.string_at(begin, size.value) if begin else None

    def parse(
        self,
        path: str,
        arguments: Sequence[str],
        files: Sequence[tuple[str, bytes]],
        options: int = 0,
        given: str = "",
    ) -> int:
        """A translation unit's handle; ``given`` is what errors call the file.

        ``path`` and the names of ``files`` are absolute. Raises AnalysisError when they are not,
        when an argument is none of those that the front end hands over, and when libclang gives no
        translation unit.
        """
        refuse_unexpected(path, arguments, [name for name, _ in files])
        # no options from a file that lies beside the library or in the home folder either
        everything = ("--no-default-config", *arguments)
        encoded = [argument.encode("utf-8", "surrogateescape") for argument in everything]
        argv = (c_char_p * len(encoded))(*encoded)
        unit = c_void_p()
        keeps_preamble = options & PREAMBLE_FROM_THE_FIRST_PARSE
        code = self.parseTranslationUnit2(
            self.preamble_index if keeps_preamble else self.index, os.fsencode(path), argv,
            len(encoded), _unsaved(files), len(files), options, ctypes.byref(unit),
        )  # fmt: skip
        if code or not unit.value:
            why = _FAILURES.get(code, code)
            raise AnalysisError(f"libclang could not parse: {why}", given or path)
        return unit.value

    def parse_again(self, unit: int, files: Sequence[tuple[str, bytes]], given: str) -> None:
        """Parses a translation unit anew with other contents of its files, on its preamble where
        that still holds; all cursors of the unit from before end.

        Raises AnalysisError where libclang fails; the unit can only be disposed then.
        """
        code = self.reparseTranslationUnit(unit, len(files), _unsaved(files), 0)
        if code:
            raise AnalysisError(f"libclang could not parse: {_FAILURES.get(code, code)}", given)


def _unsaved(files: Sequence[tuple[str, bytes]]) -> ctypes.Array[UnsavedFile]:
    return (UnsavedFile * len(files))(
        *(UnsavedFile(os.fsencode(name), data, len(data)) for name, data in files)
    )
