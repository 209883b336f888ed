"""Functions that code calls or takes the address of, and where it does so."""

from rooflint.frontend.declared.references import CALLABLE
from rooflint.frontend.equations.arguments import PassedArgument
from rooflint.frontend.equations.callees.pointers import PointerReader
from rooflint.frontend.equations.position import CodePosition
from rooflint.frontend.equations.quantities import QuantityTable
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.call_operators import CallOperators, plain_signature
from rooflint.frontend.parse.clang_c import Cursor, Type
from rooflint.frontend.parse.destructors import (
    declared_destructors,
    ends_scalar,
    is_implicit,
)
from rooflint.frontend.parse.source import SourceText
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir.equations import CallSite, FunctionAddress, PointerCall, Term

_CALL, _ASSIGN = "operator()", "operator="
_OF_CLASSES = frozenset((kinds.CONSTRUCTOR, kinds.DESTRUCTOR))


class FunctionTargets:
    """Collects the calls of a file and the functions that pointers may lead to."""

    def __init__(self, table: QuantityTable, source: SourceText, position: CodePosition) -> None:
        self.calls: list[CallSite] = []
        self.pointer_calls: list[PointerCall] = []
        self.addresses: dict[FunctionAddress, None] = {}
        self.operators = CallOperators(table.clang)
        self.pointers = PointerReader(table, self.operators)
        self._table = table
        self._clang = table.clang
        self._source = source
        self._position = position
        self._destructors: dict[int, tuple[Cursor, ...]] = {}
        self._spellings: dict[int, str] = {}

    def note_call(self, callee: Cursor, tree: SyntaxTree, length: Term | None = None) -> None:
        """A call of the function ``callee``; ``length``: bytes that a copy is told to move."""
        if callee.kind in _OF_CLASSES and is_implicit(self._clang, callee):
            if callee.kind == kinds.DESTRUCTOR:
                self._note_destructors(self._clang.getCursorSemanticParent(callee), tree)
            return
        place = self._position.place
        if place.function >= 0:
            self.calls.append(
                CallSite(
                    caller=place.function,
                    callee=self._table.result(callee),
                    loop=place.loop,
                    arm=place.arm,
                    line=self._line(tree),
                    length=length,
                )
            )

    def note_pointer_call(self, tree: SyntaxTree) -> bool:
        """A call of what is no function of a name; False where it is no pointer's target either, as
        in a template, or where the callee is not declared."""
        if ends_scalar(self._clang, tree):
            return True
        if not tree.children:
            return False
        signature = self._table.keys.signature(self._pointer_of(tree))
        holder = self.pointers.holder(tree.children[0])
        if signature or self.pointers.is_open(tree.children[0]):
            self._note_held(tree, signature, holder)
            return True
        return False

    def note_wrapped_call(self, callee: Cursor, tree: SyntaxTree) -> bool:
        """A call of what a ``std::function`` holds, or an assignment to one; False for others."""
        name = self._spelling(callee)
        if name not in (_CALL, _ASSIGN) or len(tree.children) < 2:
            return False
        held = tree.children[0]
        signature = self.operators.wrapped_signature(self._clang.getCursorType(held.cursor))
        if signature and name == _CALL:
            self._note_held(tree, signature, self.pointers.holder(held))
        elif signature:
            self.pointers.note_assigned(held, tree.children[-1])
        return bool(signature)

    def _note_held(self, tree: SyntaxTree, signature: str, holder: str) -> None:
        place = self._position.place
        if place.function >= 0:
            self.pointer_calls.append(
                PointerCall(
                    caller=place.function,
                    signature=signature,
                    loop=place.loop,
                    arm=place.arm,
                    line=self._line(tree),
                    holder=holder,
                )
            )

    def _pointer_of(self, call: SyntaxTree) -> Cursor:
        """The pointer that a call goes through: of ``(object->*f)(x)``, f."""
        callee = call.children[0]
        while callee.kind in (kinds.PAREN, kinds.UNEXPOSED) and len(callee.children) == 1:
            callee = callee.children[0]
        if callee.kind == kinds.BINARY and len(callee.children) == 2:
            operator = self._clang.getCursorBinaryOperatorKind(callee.cursor)
            if operator in kinds.MEMBER_POINTERS:
                return callee.children[1].cursor
        return call.children[0].cursor

    def only_overload(self, tree: SyntaxTree) -> Cursor | None:
        """The function that a call of a template's pattern means: the one with that many
        parameters."""
        if not tree.children or tree.children[0].kind != kinds.DECL_REF:
            return None
        reference = self._clang.getCursorReferenced(tree.children[0].cursor)
        if reference.kind != kinds.OVERLOADED_REF:
            return None
        count = len(tree.children) - 1
        fitting = [
            each
            for each in self._clang.overloads(reference)
            if self._table.parameter_count(each) == count
        ]
        return fitting[0] if len(fitting) == 1 else None

    def note_passed(self, callee: Cursor, tree: SyntaxTree) -> None:
        """The arguments of a call in a template's pattern, of the template ``callee``."""
        for number, argument in enumerate(tree.children[1:]):
            self.pointers.note_argument(PassedArgument(callee, number, argument))

    def function_of(self, tree: SyntaxTree) -> Cursor | None:
        """The function that ``f`` or ``&f`` names."""
        named = tree.children[0] if tree.kind == kinds.UNARY and tree.children else tree
        if named.kind != kinds.DECL_REF:
            return None
        target: Cursor = self._clang.getCursorReferenced(named.cursor)
        return target if target.kind in CALLABLE else None

    def operator_of(self, tree: SyntaxTree) -> Cursor | None:
        """The call operator of an object that is called like a function."""
        return self.operators.of_type(self._clang.getCursorType(tree.cursor))

    def callee_of(self, tree: SyntaxTree) -> Cursor:
        """The function that a call names, also as ``(f)(x)``."""
        callee: Cursor = self._clang.getCursorReferenced(tree.cursor)
        if callee.kind in CALLABLE or not tree.children:
            return callee
        return self.function_of(tree.children[0]) or callee

    def names(self, tree: SyntaxTree, function: Cursor) -> bool:
        """Whether an expression is the name of the function."""
        if tree.kind != kinds.DECL_REF or not function.d0:
            return False
        target: Cursor = self._clang.getCursorReferenced(tree.cursor)
        return target.d0 == function.d0

    def argument_count(self, function: Cursor, call: SyntaxTree) -> int:
        """How many of the last operands of a call are arguments: those of an operator lie on both
        sides of its name, but those of ``object(x)`` behind it."""
        spelling = self._spelling(function)
        if spelling == _CALL:
            return max(0, len(call.children) - 2)
        if spelling.startswith("operator"):
            return 0
        count: int = self._clang.Cursor_getNumArguments(call.cursor)
        return max(0, count)

    def _spelling(self, function: Cursor) -> str:
        spelling = self._spellings.get(function.d0)
        if spelling is None:
            spelling = self._spellings[function.d0] = self._clang.spelling(function)
        return spelling

    def note_addresses_below(self, tree: SyntaxTree) -> None:
        """The functions that a variable outside of functions points to."""
        for child in tree.children:
            function = self.function_of(child)
            if function is not None:
                self.note_address(function)
            self.note_addresses_below(child)

    def note_address(
        self, function: Cursor, receiver: Cursor | None = None, count: Term | None = None
    ) -> None:
        """The name of a function outside of a call of it."""
        place = self._position.place
        address = FunctionAddress(
            function=self._table.result(function),
            signature=plain_signature(self._clang, self._clang.getCursorType(function)),
            caller=place.function,
            loop=place.loop,
            arm=place.arm,
            receiver=-1 if receiver is None else self._table.result(receiver),
            count=count,
        )
        self.addresses[address] = None

    def note_called_object(self, argument: SyntaxTree, callee: Cursor) -> None:
        """An object with a call operator that is handed to a function; a copy of it, or a
        ``std::function`` that holds it, calls nothing."""
        operator = self.operator_of(argument)
        if operator is None:
            return
        made = self._clang.getCursorType(self._clang.getCursorSemanticParent(callee))
        holds = callee.kind == kinds.CONSTRUCTOR and self.operators.is_called(made)
        self.note_address(operator, None if holds else callee)

    def note_destruction(self, handle: Type, tree: SyntaxTree) -> None:
        """The end of an object's life."""
        declaration = self._clang.getTypeDeclaration(self._clang.getCanonicalType(handle))
        self._note_destructors(declaration, tree)

    def note_deletion(self, tree: SyntaxTree) -> None:
        """``delete p`` calls the destructor of the object."""
        if tree.children:
            handle = self._clang.getCursorType(tree.children[0].cursor)
            self.note_destruction(self._clang.getPointeeType(handle), tree)

    def _note_destructors(self, declaration: Cursor, tree: SyntaxTree) -> None:
        """Calls of the destructors that the end of an object of a class runs."""
        key = declaration.d0
        if key not in self._destructors:
            self._destructors[key] = declared_destructors(self._clang, declaration)
        for destructor in self._destructors[key]:
            self.note_call(destructor, tree)

    def _line(self, tree: SyntaxTree) -> int:
        begin = self._source.extent(tree.cursor)[0]
        return self._source.line(begin) if begin >= 0 else 0
