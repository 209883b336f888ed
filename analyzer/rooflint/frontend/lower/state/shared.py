"""What all functions of a translation unit share: declarations, trees, what a loop changes."""

from collections.abc import Callable
from typing import Final, NamedTuple

from rooflint.compile_flags.options import Language
from rooflint.frontend.lower.state.types import CType, Types
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import CONTINUE, Clang, Cursor
from rooflint.frontend.parse.source import SourceText
from rooflint.frontend.parse.tree import MAX_BODY, SyntaxTree, build, size_of, visit
from rooflint.ir import Aliasing, Poly
from rooflint.ir.nodes import DEFAULT_ALIASING, Storage


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


class UnitContext:
    """What all functions of a translation unit share."""

    def __init__(
        self,
        clang: Clang,
        source: SourceText,
        handle: int,
        language: Language = "c++",
        aliasing: Aliasing = DEFAULT_ALIASING,
    ) -> None:
        self.clang = clang
        self.source = source
        self.handle = handle
        self.language = language
        self.is_c = language in ("c", "cl")
        self.aliasing = aliasing
        self.broken = False
        self.straight = False
        self.types = Types(clang)
        self.target: Callable[[Cursor], Cursor] = clang.getCursorReferenced
        self._decls: dict[int, Decl] = {}
        self._consts: dict[int, bool] = {}
        self._trees: dict[int, SyntaxTree] = {}
        self._modified: dict[int, frozenset[int]] = {}
        self._declared: dict[int, frozenset[int]] = {}
        self._assigned: dict[int, frozenset[int]] = {}
        self._lasting: dict[int, frozenset[int]] = {}
        self._references: dict[int, tuple[int, ...]] = {}
        self.opaque_callees: set[int] = set()
        self.local_methods: list[Cursor] = []
        self.storage: dict[int, Storage] = {}
        self.exposure: Exposure | None = None
        self.bodies: dict[int, InlineBody | None] = {}
        self.literals: dict[str, Poly] = {}
        self.constants: dict[int, int | None] = {}
        self.floating: dict[int, float] = {}

    def referenced(self, cursor: Cursor) -> Decl:
        """The declaration a reference names."""
        target = self.target(cursor)
        return self._decls.get(target.d0) or self.declared(target)

    def known(self, key: int) -> Decl | None:
        """The declaration of that key, if anything has named it yet."""
        return self._decls.get(key)

    def declared(self, cursor: Cursor) -> Decl:
        """The declaration behind its own cursor."""
        key = cursor.d0
        known = self._decls.get(key)
        if known is None:
            ctype = self.types.of_cursor(cursor) if key else CType("other", "opaque")
            name = self.clang.spelling(cursor) if key else ""
            known = tuple.__new__(Decl, (key, name, ctype, cursor.kind, cursor, len(self._decls)))
            self._decls[key] = known
        return known

    def tree(self, cursor: Cursor) -> SyntaxTree:
        """The syntax tree below a declaration, built once."""
        known = self._trees.get(cursor.d0)
        if known is None:
            known = self._trees[cursor.d0] = build(self.clang, cursor, self.broken)
        return known

    def has_no_effects(self, decl: Decl) -> bool:
        """Whether a function is declared to do nothing but compute from its arguments."""
        known = self._consts.get(decl.key)
        if known is None:
            attributes: list[int] = []

            def callback(cursor: Cursor, parent: Cursor) -> int:
                attributes.append(cursor.kind)
                return CONTINUE

            if decl.key:
                visit(self.clang, decl.cursor, callback)
            known = self._consts[decl.key] = kinds.CONST_ATTRIBUTE in attributes
        return known

    def modified(self, tree: SyntaxTree) -> frozenset[int]:
        """Keys of the variables that are assigned, stepped or have their address taken below.

        Variables declared in a loop's body are its own business and not among them; those that
        its header declares are.
        """
        key = tree.cursor.key
        known = self._modified.get(key)
        if known is None:
            found, inside = self._collect_modified(tree)
            self._declared[key] = frozenset(inside)
            if tree.kind in kinds.LOOPS:
                for part in tree.children[:-1]:
                    for child in (part, *part.children):
                        if child.kind == kinds.VARIABLE:
                            inside.discard(child.cursor.d0)
            known = self._modified[key] = frozenset(found - inside)
        return known

    def assigned(self, tree: SyntaxTree) -> frozenset[int]:
        """Keys of all variables that a C function changes after their declaration, its own too."""
        key = tree.cursor.key
        known = self._assigned.get(key)
        if known is None:
            known = self._assigned[key] = frozenset(self._collect_modified(tree)[0])
        return known

    def _collect_modified(self, tree: SyntaxTree) -> tuple[set[int], set[int]]:
        """Keys of what is modified and of what is declared below, outside inner loops."""
        found: set[int] = set()
        inside: set[int] = set()
        waiting = [tree.children]
        modifying, variables = _MODIFYING, _VARIABLES
        while waiting:
            for child in waiting.pop():
                kind, cursor, below = child.kind, child.cursor, child.children
                if not below:
                    if kind == kinds.VARIABLE:
                        inside.add(cursor.d0)
                    continue
                if kind in modifying:
                    if kind == kinds.VARIABLE:
                        inside.add(cursor.d0)
                    elif kind in kinds.LOOPS:
                        found |= self.modified(child) - self._declared[cursor.key]
                        continue
                    elif kind == kinds.CALL:
                        found |= self.lasting(self.referenced(cursor))
                        if not self.is_c:
                            found |= {decl.key for decl in self.handed_over(child)}
                    elif below[0].kind in variables and self._writes(kind, cursor):
                        found.add(self.referenced(below[0].cursor).key)
                waiting.append(below)
        return found, inside

    def lasting(self, callee: Decl) -> frozenset[int]:
        """Members and variables of the file that a small function at hand modifies."""
        known = self._lasting.get(callee.key)
        if known is not None:
            return known
        self._lasting[callee.key] = frozenset()  # for one that calls itself
        if callee.kind not in (kinds.FUNCTION, kinds.METHOD):
            return frozenset()
        definition = self.clang.getCursorDefinition(callee.cursor)
        if not definition.d0 or definition.kind not in (kinds.FUNCTION, kinds.METHOD):
            return frozenset()
        tree = self.tree(definition)
        if size_of(tree, MAX_BODY) >= MAX_BODY:
            return frozenset()
        found, inside = self._collect_modified(tree)
        kept = {k for k in found - inside if self._decls[k].kind in (kinds.FIELD, kinds.VARIABLE)}
        known = self._lasting[callee.key] = frozenset(kept)
        return known

    def handed_over(self, call: SyntaxTree) -> list[Decl]:
        """Integer variables that a call hands over by reference, so that it may change them."""
        callee = self.referenced(call.cursor)
        positions = self._references.get(callee.key)
        if positions is None:
            positions = self._references[callee.key] = self._reference_parameters(callee.cursor)
        arguments = call.children[1:]
        return [
            self.referenced(arguments[position].cursor)
            for position in positions
            if position < len(arguments) and arguments[position].kind == kinds.DECL_REF
        ]

    def _reference_parameters(self, callee: Cursor) -> tuple[int, ...]:
        if self.is_c or callee.kind not in (kinds.FUNCTION, kinds.METHOD, kinds.CONSTRUCTOR):
            return ()
        types = (
            self.types.of_cursor(self.clang.Cursor_getArgument(callee, number))
            for number in range(max(0, self.clang.Cursor_getNumArguments(callee)))
        )
        return tuple(n for n, t in enumerate(types) if t.reference and t.is_integer and not t.const)

    def _writes(self, kind: int, cursor: Cursor) -> bool:
        if kind == kinds.BINARY:
            return bool(self.clang.getCursorBinaryOperatorKind(cursor) == kinds.ASSIGN)
        if kind == kinds.UNARY:
            return bool(self.clang.getCursorUnaryOperatorKind(cursor) <= kinds.ADDRESS)
        return kind == kinds.COMPOUND_ASSIGN


_VARIABLES = (kinds.DECL_REF, kinds.MEMBER_REF)
_MODIFYING = kinds.LOOPS | {
    kinds.VARIABLE, kinds.BINARY, kinds.UNARY, kinds.COMPOUND_ASSIGN, kinds.CALL,
}  # fmt: skip
