"""Tables: the bytes of the objects that pointers lead to, and elements at indices of the file."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from rooflint.frontend.equations.arguments import PassedArgument
from rooflint.frontend.equations.position import CodePosition
from rooflint.frontend.equations.terms import TermReader
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import Cursor
from rooflint.frontend.parse.tree import SyntaxTree, without_casts
from rooflint.ir.equations import (
    BranchSite,
    IntegerTerm,
    OperationTerm,
    QuantityTerm,
    TableAccess,
    Term,
)

_SIZE_ARGUMENTS: Final = {
    "malloc": (0,), "calloc": (0, 1), "realloc": (1,), "aligned_alloc": (1,), "memalign": (1,),
    "valloc": (0,), "_mm_malloc": (0,),
}  # fmt: skip
"""Arguments of the C library's allocating functions whose product is the number of bytes."""
_NAMED: Final = frozenset((kinds.VARIABLE, kinds.PARAMETER, kinds.FIELD))
_OFFSETS: Final = frozenset(("add", "sub"))


class TableReader:
    """Reads the objects behind pointers, and the elements that straight code reads of them.

    ``function``: the one that is being read.
    """

    def __init__(self, reader: TermReader, position: CodePosition) -> None:
        self.accesses: dict[TableAccess, None] = {}
        self._reader = reader
        self._table = reader.table
        self._clang = reader.clang
        self._position = position
        self.function: Cursor | None = None

    def note_access(self, tree: SyntaxTree, branches: list[BranchSite]) -> None:
        """An element of a named object outside of loops, at an index that is no literal.

        One that code on the way here reads too, at ``branches`` around, counts once.
        """
        place = self._position.place
        if place.function < 0 or place.loop >= 0 or self._is_row(tree):
            return
        base, index = self._element(tree)
        extent = None if isinstance(index, IntegerTerm) else self._extent_of_name(base)
        if not isinstance(extent, QuantityTerm | IntegerTerm):
            return
        access = TableAccess(function=place.function, arm=place.arm, bytes=extent, element=index)
        arm = place.arm
        while replace(access, arm=arm) not in self.accesses:
            if arm < 0:
                self.accesses[access] = None
                return
            arm = branches[arm // 2].arm

    def assigned_extents(self, tree: SyntaxTree) -> Iterator[tuple[int, Term]]:
        """The object behind a pointer that a declaration, an assignment or a return sets."""
        if tree.kind == kinds.RETURN:
            pointer, returned = self.function, True
        else:
            pointer, returned = self._set_pointer(tree), False
        if pointer is None:
            return
        handle_of = self._clang.getCursorResultType if returned else self._clang.getCursorType
        if self._table.leads_to_object(handle_of(pointer)):
            term = self.extent(tree.children[-1])
            if term is not None:
                extent = self._table.result_extent if returned else self._table.extent
                yield extent(pointer), term

    def _set_pointer(self, tree: SyntaxTree) -> Cursor | None:
        """The variable or member that a declaration or an assignment sets."""
        if tree.kind == kinds.VARIABLE:
            return tree.cursor
        if self._clang.getCursorBinaryOperatorKind(tree.cursor) != kinds.ASSIGN:
            return None
        return self._named(tree.children[0])

    def argument_extents(self, argument: PassedArgument) -> Iterator[tuple[int, Term]]:
        """The object behind a pointer that is an argument."""
        form = self._table.form(argument.callee, argument.number)
        if form is not None and form.pointer:
            term = self.extent(argument.tree)
            if term is not None:
                yield self._table.passed_extent(argument.callee, argument.number), term

    def extent(self, tree: SyntaxTree) -> Term | None:
        """The bytes of the object that an expression leads to; None where no name tells them."""
        tree = without_casts(tree)
        kind = tree.kind
        if kind in (kinds.DECL_REF, kinds.MEMBER_REF):
            return self._extent_of_name(tree)
        if kind == kinds.CALL:
            return self._allocated(tree)
        inside = self._inside(tree)
        return None if inside is None else self.extent(inside)

    def _inside(self, tree: SyntaxTree) -> SyntaxTree | None:
        """The object in which ``&p[i]`` and ``p + i`` lead to a place."""
        if tree.kind == kinds.UNARY and tree.children:
            operator = self._clang.getCursorUnaryOperatorKind(tree.cursor)
            element = without_casts(tree.children[0])
            if operator == kinds.ADDRESS and element.kind == kinds.SUBSCRIPT:
                return self._element(element)[0]
        if tree.kind == kinds.BINARY and len(tree.children) == 2:
            operator = self._clang.getCursorBinaryOperatorKind(tree.cursor)
            if kinds.BINARY_NAMES.get(operator) in _OFFSETS:
                return tree.children[0]
        return None

    def _allocated(self, tree: SyntaxTree) -> Term | None:
        """The bytes that a call allocates, or of the object that the function returns."""
        callee = self._clang.getCursorReferenced(tree.cursor)
        if not callee.d0:
            return None
        sizes = _SIZE_ARGUMENTS.get(self._clang.spelling(callee))
        if sizes is None:
            leads = self._table.leads_to_object(self._clang.getCursorResultType(callee))
            return QuantityTerm(self._table.result_extent(callee)) if leads else None
        arguments = tree.children[1:]
        if len(arguments) <= sizes[-1]:
            return None
        terms = tuple([self._reader.term(arguments[each]) for each in sizes])
        return terms[0] if len(terms) == 1 else OperationTerm("mul", terms)

    def _extent_of_name(self, tree: SyntaxTree) -> Term | None:
        """The object that a name is, if an array, or leads to."""
        named = self._named(tree)
        if named is None:
            return None
        handle = self._clang.getCanonicalType(self._clang.getCursorType(named))
        if handle.kind in kinds.T_ARRAYS and named.kind != kinds.PARAMETER:
            size = self._clang.Type_getSizeOf(handle)
            return IntegerTerm(size) if size > 0 else None
        leads = self._table.leads_to_object(handle)
        return QuantityTerm(self._table.extent(named)) if leads else None

    def _element(self, tree: SyntaxTree) -> tuple[SyntaxTree, Term]:
        """The object whose element it is, and the index; of rows the sum of their indices."""
        base, index = without_casts(tree.children[0]), self._reader.term(tree.children[1])
        while base.kind == kinds.SUBSCRIPT and self._is_row(base):
            index = OperationTerm("add", (self._reader.term(base.children[1]), index))
            base = without_casts(base.children[0])
        return base, index

    def _is_row(self, tree: SyntaxTree) -> bool:
        """Whether an element is an array, of which nothing is read yet."""
        if len(tree.children) != 2:
            return True
        handle = self._clang.getCanonicalType(self._clang.getCursorType(tree.cursor))
        return handle.kind in kinds.T_ARRAYS

    def _named(self, tree: SyntaxTree) -> Cursor | None:
        tree = without_casts(tree)
        if tree.kind not in (kinds.DECL_REF, kinds.MEMBER_REF):
            return None
        named: Cursor = self._clang.getCursorReferenced(tree.cursor)
        return named if named.kind in _NAMED else None
