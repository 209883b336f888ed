"""Pointers to functions: which variable, member or parameter gets that of which other."""

from collections.abc import Callable, Iterator
from typing import Final

from rooflint.frontend.declared.references import CALLABLE
from rooflint.frontend.equations.arguments import PassedArgument
from rooflint.frontend.equations.initialisers import initial_members, members_of
from rooflint.frontend.equations.quantities import QuantityTable
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.call_operators import CallOperators
from rooflint.frontend.parse.clang_c import Cursor, Type
from rooflint.frontend.parse.tree import SyntaxTree, build, without_casts
from rooflint.ir.equations import PointerFlow

_REFERRING: Final = frozenset((kinds.T_POINTER, kinds.T_MEMBER_POINTER, *kinds.T_REFERENCES))
_OFFSETS: Final = frozenset(("add", "sub"))
_RESULT: Final = "()"
"""End of the keys of what functions return."""


class PointerReader:
    """Collects the flows of pointers to functions.

    A member is one for all objects of its type, and an array one for all of its elements:
    inclusion-based and field-based (L. O. Andersen, Program Analysis and Specialization for the C
    Programming Language, 1994, chapter 4).
    """

    def __init__(self, table: QuantityTable, operators: CallOperators) -> None:
        self.flows: list[PointerFlow] = []
        self._table = table
        self._operators = operators
        self._clang = table.clang
        self._parameters: dict[tuple[int, int], str] = {}
        self._records: dict[int, bool] = {}

    def note_set(self, tree: SyntaxTree, function: Cursor | None) -> None:
        """A declaration with a value, an assignment, or a return from ``function``."""
        if tree.kind == kinds.VARIABLE:
            self.note_initial(tree.cursor, tree.children[-1])
        elif tree.kind == kinds.RETURN:
            if function is not None and self._leads(self._clang.getCursorResultType(function)):
                self._note(self._table.keys.function(function) + _RESULT, tree.children[0])
        elif self._clang.getCursorBinaryOperatorKind(tree.cursor) == kinds.ASSIGN:
            place, value = tree.children
            if self._leads(self._clang.getCursorType(place.cursor)):
                self.note_assigned(place, value)

    def note_assigned(self, place: SyntaxTree, value: SyntaxTree) -> None:
        """A value for what ``place`` names, which holds pointers."""
        for holder in self._sources(place):
            self._note(holder, value)

    def note_argument(self, argument: PassedArgument) -> None:
        """An argument of a call of a function that has a name."""
        key = argument.callee.d0, argument.number
        holder = self._parameters.get(key)
        if holder is None:
            holder = self._parameters[key] = self._parameter(argument)
        if holder:
            self._note(holder, argument.tree)

    def note_initial(self, holder: Cursor, value: SyntaxTree) -> None:
        """A variable or a member with a value; one that lists others is an object or an array."""
        handle = self._element_type(self._clang.getCursorType(holder))
        if self._leads(handle):
            for each in self._listed(value):
                self._note(self._key(holder), each)
        elif value.kind == kinds.INIT_LIST and self._has_pointers(handle):
            for each in self._listed(value):
                self._note_members(each)

    def holder(self, tree: SyntaxTree) -> str:
        """The key of what holds the pointer that an expression names; empty where none does."""
        holders = list(self._sources(tree))
        return holders[0] if len(holders) == 1 else ""

    def is_open(self, tree: SyntaxTree) -> bool:
        """Whether an expression names a parameter of a template whose type is open."""
        tree = without_casts(tree)
        if tree.kind != kinds.DECL_REF:
            return False
        target = self._clang.getCursorReferenced(tree.cursor)
        handle = self._operators.object_type(self._clang.getCursorType(target))
        return target.kind == kinds.PARAMETER and handle.kind in kinds.T_OPEN

    def _parameter(self, argument: PassedArgument) -> str:
        """The key of the parameter; empty where it leads to no functions."""
        declared = self._table.parameter_cursor(argument.callee, argument.number)
        if declared is None or not self._leads(self._clang.getCursorType(declared)):
            return ""
        return self._key_of_parameter(argument.callee, argument.number)

    def _key_of_parameter(self, function: Cursor, number: int) -> str:
        return f"{self._table.keys.function(function)}#{number}"

    def _key(self, declared: Cursor) -> str:
        """The key of a variable, a member or a parameter."""
        owner = self._table.parameter_of(declared)
        return self._table.keys.key(declared) if owner is None else self._key_of_parameter(*owner)

    def _note(self, holder: str, value: SyntaxTree) -> None:
        for source in self._sources(value):
            if source != holder:
                self.flows.append(PointerFlow(holder=holder, source=source))

    def _listed(self, value: SyntaxTree) -> Iterator[SyntaxTree]:
        """The elements of an array that has arrays of arrays, or the value itself."""
        handle = self._clang.getCanonicalType(self._clang.getCursorType(value.cursor))
        if value.kind == kinds.INIT_LIST and handle.kind in kinds.T_ARRAYS:
            for child in value.children:
                yield from self._listed(without_casts(child))
        else:
            yield value

    def _note_members(self, value: SyntaxTree) -> None:
        """An object that is given by a list of its members."""
        if value.kind == kinds.INIT_LIST:
            for member, inner in initial_members(self._clang, value.cursor):
                self.note_initial(member, without_casts(build(self._clang, inner)))

    def _element_type(self, handle: Type) -> Type:
        """The type of the elements of an array of any rank, or the type itself."""
        handle = self._clang.getCanonicalType(handle)
        while handle.kind in kinds.T_ARRAYS:
            handle = self._clang.getCanonicalType(self._clang.getArrayElementType(handle))
        return handle

    def _leads(self, handle: Type) -> bool:
        """Whether the type is of pointers to functions or of objects that are called like them, of
        pointers or arrays of these, or open as in a template."""
        handle = self._element_type(handle)
        while handle.kind in _REFERRING:
            handle = self._element_type(self._clang.getPointeeType(handle))
        if handle.kind in kinds.T_FUNCTIONS or handle.kind in kinds.T_OPEN:
            return True
        return self._operators.is_called(handle)

    def _has_pointers(self, handle: Type) -> bool:
        """Whether objects of the type hold pointers to functions."""
        if handle.kind != kinds.T_RECORD:
            return False
        declared = self._clang.getTypeDeclaration(handle)
        if declared.d0 not in self._records:
            self._records[declared.d0] = False
            types = [self._clang.getCursorType(each) for each in members_of(self._clang, declared)]
            self._records[declared.d0] = any(
                self._leads(each) or self._has_pointers(self._element_type(each)) for each in types
            )
        return self._records[declared.d0]

    def _sources(self, tree: SyntaxTree) -> Iterator[str]:
        """Keys of the functions that an expression names, and of what holds pointers to others."""
        tree = without_casts(tree)
        operator = self._operators.of_type(self._clang.getCursorType(tree.cursor))
        read = _READERS.get(tree.kind)
        if operator is not None:
            yield self._table.keys.function(operator)
        elif read is not None:
            yield from read(self, tree)

    def _of_name(self, tree: SyntaxTree) -> Iterator[str]:
        target = self._clang.getCursorReferenced(tree.cursor)
        if target.kind in CALLABLE:
            yield self._table.keys.function(target)
        elif target.d0 and target.kind in (kinds.VARIABLE, kinds.PARAMETER, kinds.FIELD):
            yield self._key(target)

    def _of_call(self, tree: SyntaxTree) -> Iterator[str]:
        callee = self._clang.getCursorReferenced(tree.cursor)
        if callee.kind == kinds.CONSTRUCTOR and len(tree.children) == 1:
            yield from self._sources(tree.children[0])  # a copy, or a std::function of something
        elif callee.kind in CALLABLE:
            yield self._table.keys.function(callee) + _RESULT

    def _of_first(self, tree: SyntaxTree) -> Iterator[str]:
        yield from self._sources(tree.children[0])

    def _of_binary(self, tree: SyntaxTree) -> Iterator[str]:
        operator = self._clang.getCursorBinaryOperatorKind(tree.cursor)
        if operator in (kinds.ASSIGN, kinds.COMMA, *kinds.MEMBER_POINTERS):
            yield from self._sources(tree.children[-1])
        elif kinds.BINARY_NAMES.get(operator) in _OFFSETS:
            yield from self._sources(tree.children[0])

    def _of_choice(self, tree: SyntaxTree) -> Iterator[str]:
        for path in tree.children[1:]:
            yield from self._sources(path)


_NAMES: Final = frozenset((kinds.DECL_REF, kinds.MEMBER_REF))
_READERS: Final[dict[int, Callable[[PointerReader, SyntaxTree], Iterator[str]]]] = {
    **dict.fromkeys(_NAMES, PointerReader._of_name),
    kinds.CALL: PointerReader._of_call,
    kinds.UNARY: PointerReader._of_first,
    kinds.SUBSCRIPT: PointerReader._of_first,
    kinds.BINARY: PointerReader._of_binary,
    kinds.CONDITIONAL: PointerReader._of_choice,
}
