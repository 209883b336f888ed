"""State shared by all functions of a translation unit: declarations, trees, constants."""

import re
from typing import Final

from rooflint.compile_flags.options import Language
from rooflint.frontend.lower.state.declaration_keys import DeclarationKeys
from rooflint.frontend.lower.state.types import CType, Types
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import Clang, Cursor
from rooflint.frontend.parse.source import SourceText
from rooflint.frontend.parse.tree import SyntaxTree, build
from rooflint.ir import Aliasing, Poly
from rooflint.ir.nodes import DEFAULT_ALIASING, Storage
from rooflint.records import NamedTuple

_RESTRICT: Final = re.compile(r"\[(?:\s|static\b|const\b|volatile\b)*(?:__)?restrict\b")
_STORAGE_STATIC: Final = 3
"""``CX_SC_Static``."""
_FUNCTION_SCOPES: Final = frozenset(
    (kinds.FUNCTION, kinds.METHOD, kinds.CONSTRUCTOR, kinds.FUNCTION_TEMPLATE, kinds.DESTRUCTOR)
)


class Decl(NamedTuple):
    """A declaration, looked up once a translation unit."""

    key: int
    name: str
    ctype: CType
    kind: int
    cursor: Cursor
    number: int


class InlineBody(NamedTuple):
    """A function's body that is small enough to stand in place of a call.

    ``simple``: what it returns, where it is local variables and one ``return``. ``fits``: one that
    is not simple may be inlined in a loop. ``definition``: its key.
    """

    definition: int
    parameters: list[SyntaxTree]
    statements: list[SyntaxTree]
    simple: SyntaxTree | None
    fits: bool


class Exposure(NamedTuple):
    """Keys of the variables that code hands on the address of; ``whole``: all code was seen."""

    keys: frozenset[int]
    whole: bool

    def may_hold(self, key: int) -> bool:
        """Whether a pointer to the variable may have been formed."""
        return not self.whole or key in self.keys


UNKNOWN_EXPOSURE: Final = Exposure(frozenset(), whole=False)
"""Of code that does not compile, or is nested too deeply to be walked."""


class UnitTraits(NamedTuple):
    """A translation unit as a whole.

    ``handle`` is libclang's; ``broken``: it has errors; ``straight``: functions without loops are
    wanted too.
    """

    handle: int
    language: Language = "c++"
    aliasing: Aliasing = DEFAULT_ALIASING
    broken: bool = False
    straight: bool = False

    @property
    def is_c(self) -> bool:
        """Whether the language is C, or OpenCL's: no references, no templates."""
        return self.language in ("c", "cl")


class ConstantTable:
    """Values of constants, each evaluated once: literals by text, the others by declaration.

    ``evaluated`` are calls of constants by their text.
    """

    def __init__(self) -> None:
        self.literals: dict[str, Poly] = {}
        self.integers: dict[int, int | None] = {}
        self.floats: dict[int, float] = {}
        self.evaluated: dict[str, float] = {}

    def enter_literal(self, text: str, poly: Poly) -> Poly:
        """Records the value of an integer literal and returns it."""
        self.literals[text] = poly
        return poly

    def enter_integer(self, key: int, number: int | None) -> int | None:
        """Records an integer constant's value, None where it has none, and returns it."""
        self.integers[key] = number
        return number

    def enter_float(self, key: int, number: float) -> float:
        """Records a floating-point constant's value, NaN where it has none, and returns it."""
        self.floats[key] = number
        return number

    def enter_call(self, text: str, number: float) -> None:
        """Records the value of a call whose arguments are constants."""
        self.evaluated[text] = number


class CalleeTable:
    """The functions of the file that calls may be replaced by, and those that stay opaque.

    ``never_return``: whether calls of a function never come back.
    """

    def __init__(self) -> None:
        self.bodies: dict[int, InlineBody | None] = {}
        self.opaque: set[int] = set()
        self.never_return: dict[int, bool] = {}

    def enter(self, key: int, body: InlineBody | None) -> InlineBody | None:
        """Records the body of a function, None where it has none that fits, and returns it."""
        self.bodies[key] = body
        return body

    def note_opaque(self, key: int) -> None:
        """Calls of the function are opaque from here on."""
        self.opaque.add(key)

    def note_return(self, key: int, never: bool) -> None:
        """Records whether calls of the function never come back."""
        self.never_return[key] = never


class TranslationUnitContext:
    """State shared by all functions of a translation unit.

    ``jumping``: whether a statement has jumps below, by its cursor's key.
    """

    def __init__(self, clang: Clang, source: SourceText, traits: UnitTraits) -> None:
        self.clang = clang
        self.source = source
        self.traits = traits
        self.is_c = traits.is_c
        self.types = Types(clang)
        self.keys = DeclarationKeys(clang, source)
        self.constants = ConstantTable()
        self.callees = CalleeTable()
        self.jumping: dict[int, bool] = {}
        self.exposure: Exposure | None = None
        self._storage: dict[int, Storage] = {}
        self.local_methods: list[Cursor] = []
        self._decls: dict[int, Decl] = {}
        self.blocks: set[int] = set()
        self._trees: dict[int, SyntaxTree] = {}

    def referenced(self, cursor: Cursor) -> Decl:
        """The declaration a reference names."""
        target: Cursor = self.clang.getCursorReferenced(cursor)
        return self._decls.get(target.d0) or self.declared(target)

    def known(self, key: int) -> Decl | None:
        """The declaration of that key, if anything has named it yet."""
        return self._decls.get(key)

    def declared(self, cursor: Cursor) -> Decl:
        """The declaration behind its own cursor."""
        key = cursor.d0
        known = self._decls.get(key)
        if known is None:
            ctype = self._type_of(cursor) if key else CType("other", "opaque")
            name = self.clang.spelling(cursor) if key else ""
            known = tuple.__new__(Decl, (key, name, ctype, cursor.kind, cursor, len(self._decls)))
            self._decls[key] = known
        return known

    def _type_of(self, cursor: Cursor) -> CType:
        """The type of a declaration; of a parameter ``a[restrict n]``, which is a pointer, libclang
        tells the word in the text of the type or of the declaration alone."""
        ctype = self.types.of_cursor(cursor)
        if cursor.kind != kinds.PARAMETER or ctype.shape != "array":
            return ctype
        spelling = self.clang.text(self.clang.getTypeSpelling(self.clang.getCursorType(cursor)))
        texts = spelling, self.source.text(cursor)
        return ctype._replace(restrict=any(_RESTRICT.search(text) for text in texts))

    def tree(self, cursor: Cursor) -> SyntaxTree:
        """The syntax tree below a declaration, built once."""
        known = self._trees.get(cursor.d0)
        if known is None:
            blocks: list[Cursor] = []
            known = build(self.clang, cursor, self.traits.broken, blocks)
            self._trees[cursor.d0] = known
            self.blocks.update([self.source.extent(each)[0] for each in blocks])
        return known

    def storage_of(self, decl: Decl) -> Storage:
        """Where a variable lives."""
        if decl.kind == kinds.PARAMETER:
            return "parameter"
        if decl.kind != kinds.VARIABLE:
            return "member"
        storage = self._storage.get(decl.key)
        if storage is None:
            scope = self.clang.getCursorSemanticParent(decl.cursor).kind
            local = scope in _FUNCTION_SCOPES and not self.is_static(decl.cursor)
            storage = self._storage[decl.key] = "local" if local else "global"
        return storage

    def is_static(self, cursor: Cursor) -> bool:
        """Whether a declaration says ``static``: what a function declares so outlives its call."""
        return bool(self.clang.Cursor_getStorageClass(cursor) == _STORAGE_STATIC)

    def note_exposure(self, exposure: Exposure) -> Exposure:
        """Records which variables all code of the file exposes, and returns it."""
        self.exposure = exposure
        return exposure

    def add_local_methods(self, cls: SyntaxTree) -> None:
        """Notes the methods of a class that was met inside a function."""
        self.local_methods += [c.cursor for c in cls.children if c.kind in kinds.METHODS]

    def take_local_method(self) -> Cursor:
        """The local method that was noted first; it is noted no longer."""
        return self.local_methods.pop(0)
