"""Which variables nothing but their own name reaches.

The address of an object that is only subscripted, and the value of a pointer that is only followed,
go nowhere: no other pointer can lead to the same memory. Everything else exposes a variable; so
does what this walk does not know.
"""

from collections.abc import Callable
from typing import Final

from rooflint.frontend.lower.state.shared import (
    UNKNOWN_EXPOSURE,
    CodeExposure,
    Exposure,
    TranslationUnitContext,
)
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import CONTINUE, Cursor
from rooflint.frontend.parse.tree import SyntaxTree, build, visit

RELEASES: Final = frozenset(("free", "_mm_free"))
"""Functions of the C library that keep no pointer and return none."""

_FUNCTIONS: Final = kinds.METHODS | {kinds.FUNCTION, kinds.FUNCTION_TEMPLATE}


def exposed_variables(shared: TranslationUnitContext, tree: SyntaxTree) -> frozenset[int]:
    """Keys of the variables whose address or pointer value is used for more than accesses."""
    walk = _ExposureWalk(shared)
    walk.function(tree)
    return frozenset(walk.exposed)


def is_exposed_anywhere(shared: TranslationUnitContext, key: int) -> bool:
    """The same for all code from this file's first declaration on, headers included."""
    shared.note_table(key)
    exposure = shared.exposure
    if exposure is None:
        exposure = shared.note_exposure(_exposure(shared))
    return exposure.may_hold(key)


def _exposure(shared: TranslationUnitContext) -> Exposure:
    if shared.traits.broken:
        return UNKNOWN_EXPOSURE
    clang = shared.clang
    root = clang.getTranslationUnitCursor(shared.traits.handle)
    own: list[SyntaxTree] = []

    def callback(cursor: Cursor, parent: Cursor) -> int:
        if own or shared.source.is_here(cursor):
            own.append(build(clang, cursor))
        return CONTINUE

    try:
        visit(clang, root, callback)
        code = [code_exposure(shared, tree) for tree in own]
    except RecursionError:
        return UNKNOWN_EXPOSURE
    return Exposure(tuple(code), whole=True)


def code_exposure(shared: TranslationUnitContext, tree: SyntaxTree) -> CodeExposure:
    """The variables that a declaration outside of functions exposes."""
    walk = _ExposureWalk(shared)
    walk.visit(tree, False)
    return CodeExposure(shared.source.extent(tree.cursor)[0], frozenset(walk.exposed))


def declared_variables(shared: TranslationUnitContext, tree: SyntaxTree) -> frozenset[int]:
    """Keys of the parameters and variables declared at or below ``tree``."""
    found: set[int] = set()
    waiting = [tree]
    while waiting:
        each = waiting.pop()
        waiting += each.children
        if each.kind in (kinds.VARIABLE, kinds.PARAMETER):
            found.add(shared.declared(each.cursor).key)
    return frozenset(found)


class _ExposureWalk:
    """``handed`` below: the place itself is wanted, by ``&`` or as a reference, not its value."""

    def __init__(self, shared: TranslationUnitContext) -> None:
        self.shared = shared
        self.exposed: set[int] = set()
        self.returns_place = False

    def children(self, tree: SyntaxTree, handed: bool) -> None:
        for child in tree.children:
            self.visit(child, handed)

    def visit(self, tree: SyntaxTree, handed: bool) -> None:
        handler = _HANDLERS.get(tree.kind)
        if handler is None or not (tree.children or tree.kind in _LEAVES):
            self.children(tree, handed)
        else:
            handler(self, tree, handed)

    def variable(self, tree: SyntaxTree, handed: bool) -> None:
        """A declaration: one of a reference hands on what it is initialised with."""
        del handed
        self.children(tree, self.shared.types.of_cursor(tree.cursor).reference)

    def captures(self, tree: SyntaxTree, handed: bool) -> None:
        """A lambda may capture by reference."""
        del handed
        self.children(tree, True)

    def result(self, tree: SyntaxTree, handed: bool) -> None:
        """A ``return``."""
        self.children(tree, handed or self.returns_place)

    def function(self, tree: SyntaxTree, handed: bool = False) -> None:
        """One that returns a reference, or what no instance has told yet, hands a place on."""
        del handed
        outer, shared = self.returns_place, self.shared
        result = shared.types.of(shared.clang.getCursorResultType(tree.cursor))
        self.returns_place = result.reference or result.shape == "other"
        self.children(tree, False)
        self.returns_place = outer

    def reference(self, tree: SyntaxTree, handed: bool) -> None:
        """A variable named with nothing around it: its value leaves if that is an address."""
        decl = self.shared.referenced(tree.cursor)
        if handed or decl.ctype.shape not in ("scalar", "void"):
            self.exposed.add(decl.key)

    def part(self, tree: SyntaxTree, handed: bool) -> None:
        """An element or a member: a row or a member that is an array stands for its address."""
        base, *index = tree.children
        for each in index:
            self.visit(each, False)
        if handed or self.shared.types.of_cursor(tree.cursor).shape in ("array", "other"):
            self.visit(base, handed)
        else:
            self.followed(base)

    def followed(self, tree: SyntaxTree) -> None:
        """Follows a name that is only dereferenced, subscripted, compared or set."""
        kind, below = tree.kind, tree.children
        if kind == kinds.DECL_REF:
            return
        if kind in (kinds.SUBSCRIPT, kinds.MEMBER_REF) and below:
            for each in below[1:]:
                self.visit(each, False)
            self.followed(below[0])
        elif kind in (kinds.BINARY, kinds.UNARY) or kind in kinds.CASTS:
            for each in below:
                self.followed(each)
        else:
            self.visit(tree, False)

    def unary(self, tree: SyntaxTree, handed: bool) -> None:
        [operand] = tree.children[:1]
        operator = self.shared.clang.getCursorUnaryOperatorKind(tree.cursor)
        if operator == kinds.ADDRESS:
            self.visit(operand, True)
        elif operator == kinds.DEREFERENCE and not handed:
            row = self.shared.types.of_cursor(tree.cursor).shape in ("array", "other")
            (self.visit(operand, False) if row else self.followed(operand))
        elif operator in kinds.STEPS and operand.kind == kinds.DECL_REF and not handed:
            return
        else:
            self.visit(operand, handed)

    def binary(self, tree: SyntaxTree, handed: bool) -> None:
        if len(tree.children) != 2:
            self.children(tree, handed)
            return
        left, right = tree.children
        operator = self.shared.clang.getCursorBinaryOperatorKind(tree.cursor)
        if operator in kinds.COMPARISONS:
            self.followed(left)
            self.followed(right)
            return
        if operator == kinds.ASSIGN and left.kind == kinds.DECL_REF:
            decl = self.shared.referenced(left.cursor)
            if not decl.ctype.reference:
                self.visit(right, False)
                return
        self.visit(left, False)
        self.visit(right, False)

    def call(self, tree: SyntaxTree, handed: bool) -> None:
        del handed
        if self.shared.referenced(tree.cursor).name in RELEASES:
            return
        # in C++ an argument may be bound to a reference
        self.children(tree, not self.shared.is_c)


_LEAVES: Final = _FUNCTIONS | {kinds.DECL_REF, kinds.CALL, kinds.VARIABLE}
"""Kinds that have a meaning of their own without children."""
_HANDLERS: Final[dict[int, Callable[[_ExposureWalk, SyntaxTree, bool], None]]] = {
    kinds.DECL_REF: _ExposureWalk.reference,
    kinds.SUBSCRIPT: _ExposureWalk.part,
    kinds.MEMBER_REF: _ExposureWalk.part,
    kinds.UNARY: _ExposureWalk.unary,
    kinds.BINARY: _ExposureWalk.binary,
    kinds.CALL: _ExposureWalk.call,
    kinds.VARIABLE: _ExposureWalk.variable,
    kinds.LAMBDA: _ExposureWalk.captures,
    kinds.RETURN: _ExposureWalk.result,
    **dict.fromkeys(_FUNCTIONS, _ExposureWalk.function),
}
