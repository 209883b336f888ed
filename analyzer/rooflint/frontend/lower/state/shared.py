"""State shared by all functions of a translation unit: declarations, trees, constants."""

from collections.abc import Sequence
from typing import Final, Protocol

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
from rooflint.startup.late_pattern import late_pattern

_RESTRICT: Final = late_pattern(r"\[(?:\s|static\b|const\b|volatile\b)*(?:__)?restrict\b")
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
    is not simple may be inlined in a loop. ``definition``: its key. ``several``: the type of what
    it returns in several places, each at the end of a path through ``statements``; None for one.
    """

    definition: int
    parameters: list[SyntaxTree]
    statements: list[SyntaxTree]
    simple: SyntaxTree | None
    fits: bool
    several: str | None = None


class CodeExposure(NamedTuple):
    """Keys of the variables that a declaration hands on the address of, and where it begins: at -1
    in another file."""

    begin: int
    keys: frozenset[int]


class Exposure(NamedTuple):
    """Variables that code hands on the address of; ``whole``: all code was seen."""

    code: tuple[CodeExposure, ...]
    whole: bool

    def may_hold(self, key: int) -> bool:
        """Whether a pointer to the variable may have been formed."""
        return not self.whole or any(key in each.keys for each in self.code)


class ExposureAnswer(Protocol):
    """Tells of variables whether pointers to them may have been formed."""

    def may_hold(self, key: int) -> bool:
        """Whether a pointer to the variable may have been formed."""


UNKNOWN_EXPOSURE: Final = Exposure((), whole=False)
"""Of code that does not compile, or is nested too deeply to be walked."""


class UnitTraits(NamedTuple):
    """A translation unit as a whole.

    ``handle`` is libclang's; ``openmp``: its directives have an effect; ``errors``: lines of its
    errors, 0 for one elsewhere; ``straight``: functions without loops are wanted too; ``blank``:
    offsets at which functions begin whose bodies were left out.
    """

    handle: int
    language: Language = "c++"
    aliasing: Aliasing = DEFAULT_ALIASING
    openmp: bool = True
    errors: frozenset[int] = frozenset()
    straight: bool = False
    blank: frozenset[int] = frozenset()

    @property
    def broken(self) -> bool:
        """Whether it has errors."""
        return bool(self.errors)

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


class BlankBodyError(Exception):
    """The body of the function that begins at this offset is needed and was left out."""

    def __init__(self, begin: int) -> None:
        super().__init__(begin)
        self.begin = begin


class CalleeTable:
    """The functions of the file that calls may be replaced by, and what they do.

    ``never_return``: whether calls of a function never come back; ``lasting``: the members and
    variables of the file that they modify; ``circular``: one of these was asked for while that of a
    function that the callee calls was worked out, so that it depends on the order of questions.
    """

    def __init__(self) -> None:
        self.bodies: dict[int, InlineBody | None] = {}
        self.never_return: dict[int, bool] = {}
        self.lasting: dict[int, frozenset[int]] = {}
        self.circular = False
        self._pending: list[int] = []

    def begin(self, key: int) -> None:
        """The effects of the function are worked out from here on."""
        self._pending.append(key)

    def end(self) -> None:
        """The effects of the function begun last are known."""
        self._pending.pop()

    def note_question(self, key: int) -> None:
        """The effects of the function are asked for; it may well call itself."""
        if self._pending and key in self._pending[:-1]:
            self.circular = True

    def enter(self, key: int, body: InlineBody | None) -> InlineBody | None:
        """Records the body of a function, None where it has none that fits, and returns it."""
        self.bodies[key] = body
        return body

    def note_return(self, key: int, never: bool) -> None:
        """Records whether calls of the function never come back."""
        self.never_return[key] = never

    def note_lasting(self, key: int, lasting: frozenset[int]) -> frozenset[int]:
        """Records the lasting effects of the function, and returns them."""
        self.lasting[key] = lasting
        return lasting


class TranslationUnitContext:
    """State shared by all functions of a translation unit.

    ``jumping``: whether a statement has jumps below, by its cursor's key; ``tables``: keys of the
    variables whose exposure was asked for.
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
        self.exposure: ExposureAnswer | None = None
        self.tables: set[int] = set()
        self._storage: dict[int, Storage] = {}
        self.local_methods: list[Cursor] = []
        self._decls: dict[int, Decl] = {}
        self.no_loops: set[int] = set()
        self._trees: dict[int, SyntaxTree] = {}
        self._broken_ranges: list[tuple[int, int]] = []
        self._is_all_broken = False

    def note_functions(self, ranges: Sequence[tuple[int, int]]) -> None:
        """The offsets between which the file's functions stand: an error inside of one is that
        one's alone."""
        covered: set[int] = set()
        for begin, end in ranges if self.traits.broken else ():
            first, last = self.source.line(begin), self.source.line(end)
            own = {line for line in self.traits.errors if first <= line <= last}
            covered |= own
            if own:
                self._broken_ranges.append((begin, end))
        self._is_all_broken = bool(self.traits.errors - covered)

    def is_broken(self, cursor: Cursor) -> bool:
        """Whether code lies in a function that does not compile, or an error outside of functions
        may concern it."""
        if self._is_all_broken or not self._broken_ranges:
            return self._is_all_broken
        place = self.source.extent(cursor)[0]
        return any(begin <= place < end for begin, end in self._broken_ranges)

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
            no_loops: list[Cursor] = []
            self._refuse_blank(cursor)
            known = build(self.clang, cursor, self.is_broken(cursor), no_loops)
            self._trees[cursor.d0] = known
            self.no_loops.update([self.source.extent(each)[0] for each in no_loops])
        return known

    def _refuse_blank(self, cursor: Cursor) -> None:
        if self.traits.blank and cursor.kind in _FUNCTION_SCOPES:
            begin = self.source.extent(cursor)[0]
            if (
                begin in self.traits.blank
                and self.clang.getCursorDefinition(cursor).d0 == cursor.d0
            ):
                raise BlankBodyError(begin)

    @property
    def function_trees(self) -> dict[int, SyntaxTree]:
        """The trees of functions that were built so far, by their keys."""
        return {key: tree for key, tree in self._trees.items() if tree.kind in _FUNCTION_SCOPES}

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

    def is_of_thread(self, cursor: Cursor) -> bool:
        """Whether each thread has a variable of its own: ``thread_local``, ``__thread``."""
        return bool(self.clang.getCursorTLSKind(cursor))

    def note_table(self, key: int) -> None:
        """The exposure of a variable is asked for."""
        self.tables.add(key)

    def note_exposure(self, exposure: ExposureAnswer) -> ExposureAnswer:
        """Records which variables all code of the file exposes, and returns it."""
        self.exposure = exposure
        return exposure

    def add_local_methods(self, cls: SyntaxTree) -> None:
        """Notes the methods of a class that was met inside a function."""
        self.local_methods += [c.cursor for c in cls.children if c.kind in kinds.METHODS]

    def take_local_method(self) -> Cursor:
        """The local method that was noted first; it is noted no longer."""
        return self.local_methods.pop(0)
