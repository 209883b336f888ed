"""Bodies of functions as equations: assignments, initialisers, arguments, returns, loops."""

from collections.abc import Callable
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from msgspec.structs import replace

from rooflint.frontend.declared.references import CALLABLE
from rooflint.frontend.equations.arguments import (
    PassedArgument,
    argument_equations,
    is_address,
)
from rooflint.frontend.equations.bounds import CountedHeader, counted_header
from rooflint.frontend.equations.branches import condition_pattern, path_pattern
from rooflint.frontend.equations.quantities import QuantityTable
from rooflint.frontend.equations.terms import TermReader
from rooflint.frontend.lower.loops.loop_parts import parts_of
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import CONTINUE, Cursor
from rooflint.frontend.parse.tree import SyntaxTree, build, visit
from rooflint.ir.equations import (
    Accessor,
    BoundedLoop,
    BranchSite,
    CallSite,
    DefinedFunction,
    Equation,
    Equations,
    QuantityTerm,
    Term,
    UnknownTerm,
)
from rooflint.ir.unit import Span

_MEMBER_INITIALISER: Final = 47
"""``CXCursor_MemberRef``: names the member whose value follows, before a constructor's body."""
SourceForm: TypeAlias = Literal["for", "while", "do", "range-for"]
_FORMS: Final[dict[int, SourceForm]] = {
    kinds.FOR: "for", kinds.WHILE: "while", kinds.DO: "do", kinds.RANGE_FOR: "range-for",
}  # fmt: skip
_ADDRESS: Final = UnknownTerm("address-taken")


class BodyReader:
    """Collects what the functions and variables of one file say."""

    def __init__(self, context: LoweringContext, path: str, broken: bool) -> None:
        self.table = QuantityTable(context.unit, path)
        self.reader = TermReader(context, self.table)
        self._context = context
        self._clang = context.unit.clang
        self._source = context.unit.source
        self._path = path
        self._broken = broken
        self._equations: dict[Equation, None] = {}
        self._accessors: list[Accessor] = []
        self._functions: list[DefinedFunction] = []
        self._loops: list[BoundedLoop] = []
        self._calls: list[CallSite] = []
        self._function = -1
        self._branches: list[BranchSite] = []
        self._loop = -1
        self._arm = -1
        self._callable: dict[int, bool] = {}

    def equations(self) -> Equations:
        """All that was read."""
        return Equations(
            path=self._path,
            quantities=tuple(self.table.quantities),
            equations=tuple(self._equations),
            accessors=tuple(self._accessors),
            functions=tuple(self._functions),
            loops=tuple(self._loops),
            calls=tuple(self._calls),
            branches=tuple(self._branches),
        )

    def read_variable(self, cursor: Cursor) -> None:
        """A variable outside of functions, or a member that its declaration initialises."""
        self._declaration(build(self._clang, cursor, self._broken))

    def read_function(self, cursor: Cursor) -> None:
        """A function with a body; of a template, its pattern."""
        tree = self._context.unit.tree(cursor)
        body = next((each for each in tree.children if each.kind == kinds.COMPOUND), None)
        if body is None:
            return
        parameters = self.table.enter_parameters(cursor)
        self._function = self.table.result(cursor)
        for number, parameter in enumerate(parameters):
            if self.table.leads_to_integers(self._clang.getCursorType(parameter)):
                written = self.table.parameter(cursor, number, "written-target")
                target = self.table.parameter(cursor, number, "target")
                self._add(target, QuantityTerm(written), tree)
        name = self._clang.spelling(cursor)
        numbers = tuple([self.table.variable(each) for each in parameters])
        first = len(self.table.quantities)
        if cursor.kind == kinds.CONSTRUCTOR:
            self._member_initialisers(cursor)
        self._note_accessor(cursor, body)
        self._statement(body)
        self._functions.append(
            DefinedFunction(
                result=self._function,
                parameters=numbers,
                span=self._span(tree),
                entry=name == "main",
                variables=tuple(self.table.variables_of(name, first)),
            )
        )
        self._function = -1

    def _span(self, tree: SyntaxTree) -> Span | None:
        begin, end = self._source.extent(tree.cursor)
        return self._source.span(begin, end) if begin >= 0 else None

    def _add(self, target: int, term: Term, tree: SyntaxTree) -> None:
        if term != QuantityTerm(target):
            begin = self._source.extent(tree.cursor)[0]
            line = self._source.line(begin) if begin >= 0 else 0
            self._equations[Equation(target=target, term=term, line=line)] = None

    def _member_initialisers(self, cursor: Cursor) -> None:
        below: list[Cursor] = []

        def callback(child: Cursor, parent: Cursor) -> int:
            below.append(Cursor.from_buffer_copy(child))
            return CONTINUE

        visit(self._clang, cursor, callback)
        for name, value in pairwise(below):
            member = self._clang.getCursorReferenced(name)
            if name.kind != _MEMBER_INITIALISER or member.kind != kinds.FIELD:
                continue
            holder = SyntaxTree(kinds.UNEXPOSED, value, [build(self._clang, value, self._broken)])
            if self.table.is_integer(self._clang.getCursorType(member)):
                self._add(self.table.variable(member), self.reader.term(holder), holder)
            self._statement(holder)

    def _note_accessor(self, function: Cursor, body: SyntaxTree) -> None:
        """A body that only returns a reference to a quantity."""
        handle = self._clang.getCursorResultType(function)
        if not self.table.is_reference(handle) or len(body.children) != 1:
            return
        (statement,) = body.children
        if statement.kind == kinds.RETURN and statement.children:
            place = self.reader.place(statement.children[0])
            if place is not None and self.table.quantities[place].kind in ("member", "variable"):
                self._accessors.append(Accessor(result=self._function, quantity=place))

    def _statement(self, tree: SyntaxTree) -> None:
        """A statement or an expression with all that is in it."""
        read = _READERS.get(tree.kind)
        if read is None:
            self._below(tree)
        else:
            read(self, tree)

    def _below(self, tree: SyntaxTree) -> None:
        for child in tree.children:
            read = _READERS.get(child.kind)
            if read is not None:
                read(self, child)
            elif child.children:
                self._below(child)

    def _lambda(self, tree: SyntaxTree) -> None:
        """Nothing: its statements run where it is called."""

    def _variable(self, tree: SyntaxTree) -> None:
        self._declaration(tree)
        self._below(tree)

    def _return(self, tree: SyntaxTree) -> None:
        if tree.children and self._function >= 0:
            self._add(self._function, self.reader.term(tree.children[0]), tree)
        self._below(tree)

    def _operator(self, tree: SyntaxTree) -> None:
        self._operation(tree)
        self._below(tree)

    def _branch(self, tree: SyntaxTree) -> None:
        """An ``if``: its condition comes before its one or two paths."""
        if len(tree.children) < 2:
            self._below(tree)
            return
        # a path is a statement; what comes before the condition declares variables
        first = next(
            (place for place, each in enumerate(tree.children) if self._is_condition(each)), 0
        )
        condition, *paths = tree.children[first:]
        unit, outer = self._context.unit, self._arm
        begin = self._source.extent(tree.cursor)[0]
        patterns = [path_pattern(unit, path) for path in paths]
        position = len(self._branches)
        self._branches.append(
            BranchSite(
                function=self._function,
                loop=self._loop,
                arm=outer,
                line=self._source.line(begin) if begin >= 0 else 0,
                condition=condition_pattern(unit, condition),
                then=patterns[0] if patterns else "goes-on",
                orelse=patterns[1] if len(patterns) > 1 else None,
            )
        )
        for part in tree.children[: first + 1]:
            self._statement(part)
        for number, path in enumerate(paths):
            self._arm = 2 * position + min(number, 1)
            self._statement(path)
        self._arm = outer

    def _is_condition(self, tree: SyntaxTree) -> bool:
        return tree.kind not in (kinds.DECL_STMT, kinds.VARIABLE)

    def _declaration(self, tree: SyntaxTree) -> None:
        if not tree.children:
            return
        value = tree.children[-1]
        if value.kind == kinds.INIT_LIST and not self._is_integer(tree):
            for number, element in enumerate(value.children):
                if self._is_integer(element):
                    place = self.table.element(tree.cursor, number)
                    self._add(place, self.reader.term(element), element)
        elif self._is_integer(tree) and self._is_integer(value):
            self._add(self.table.variable(tree.cursor), self.reader.term(value), tree)

    def _is_integer(self, tree: SyntaxTree) -> bool:
        return self.table.is_integer(self._clang.getCursorType(tree.cursor))

    def _operation(self, tree: SyntaxTree) -> None:
        """An assignment, ``x++``, ``x += y`` or ``&x``."""
        if not tree.children:
            return
        place: int | None = None
        term: Term = UnknownTerm("counter")
        if tree.kind == kinds.UNARY:
            operator = self._clang.getCursorUnaryOperatorKind(tree.cursor)
            if operator in kinds.STEPS:
                place = self.reader.place(tree.children[0])
            elif operator == kinds.ADDRESS:
                place, term = self.reader.place(tree.children[0]), _ADDRESS
        elif tree.kind == kinds.COMPOUND_ASSIGN:
            place = self.reader.place(tree.children[0])
        elif self._clang.getCursorBinaryOperatorKind(tree.cursor) == kinds.ASSIGN:
            place = self.reader.place(tree.children[0])
            term = self.reader.term(tree.children[-1])
        if place is not None:
            self._add(self.reader.written(place), term, tree)

    def _call(self, tree: SyntaxTree) -> None:
        callee = self._clang.getCursorReferenced(tree.cursor)
        count = max(0, self._clang.Cursor_getNumArguments(tree.cursor))
        if not self._takes_arguments(callee):
            count = 0
        elif self._function >= 0:
            self._note_call(callee, tree)
        first = len(tree.children) - count
        for child in tree.children[:first]:
            self._statement(child)
        for number, child in enumerate(tree.children[first:]):
            self._argument(PassedArgument(callee, number, child))

    def _takes_arguments(self, callee: Cursor) -> bool:
        known = self._callable.get(callee.d0)
        if known is None:
            # operands of an operator lie on both sides of its name
            known = self._callable[callee.d0] = callee.kind in CALLABLE and not (
                self._clang.spelling(callee).startswith("operator")
            )
        return known

    def _argument(self, argument: PassedArgument) -> None:
        tree = argument.tree
        passed = list(argument_equations(self.reader, argument))
        for target, term in passed:
            self._add(target, term, tree)
        # whoever writes to an address that is passed is accounted for
        accounted = bool(passed) and is_address(self.reader, tree)
        for part in tree.children if accounted else [tree]:
            self._statement(part)

    def _note_call(self, callee: Cursor, tree: SyntaxTree) -> None:
        begin = self._source.extent(tree.cursor)[0]
        self._calls.append(
            CallSite(
                caller=self._function,
                callee=self.table.result(callee),
                loop=self._loop,
                arm=self._arm,
                line=self._source.line(begin) if begin >= 0 else 0,
            )
        )

    def _loop_statement(self, tree: SyntaxTree) -> None:
        form = _FORMS[tree.kind]
        if form == "range-for":
            parts, header = None, None
        else:
            parts = parts_of(self._context, tree)
            header = counted_header(self.reader, parts)
            for part in (parts.init, parts.condition, parts.step):
                if part is not None:
                    self._statement(part)
        outer, indices = self._loop, dict(self.reader.indices)
        span = self._span(tree)
        if span is not None:
            self._loop = self._enter_loop(span, form, header)
        for part in tree.children if parts is None else [parts.body]:
            self._statement(part)
        self._loop, self.reader.indices = outer, indices

    def _enter_loop(self, span: Span, form: SourceForm, header: CountedHeader | None) -> int:
        position = len(self._loops)
        loop = BoundedLoop(
            span=span, function=self._function, parent=self._loop, arm=self._arm, form=form
        )
        if header is not None:
            loop = replace(
                loop,
                lower=header.lower,
                upper=header.upper,
                step=header.step,
                relation=header.relation,
            )
            self.reader.indices[header.variable] = position
        self._loops.append(loop)
        return position


_READERS: Final[dict[int, Callable[[BodyReader, SyntaxTree], None]]] = {
    **dict.fromkeys(kinds.LOOPS, BodyReader._loop_statement),
    kinds.CALL: BodyReader._call,
    kinds.IF: BodyReader._branch,
    kinds.LAMBDA: BodyReader._lambda,
    kinds.VARIABLE: BodyReader._variable,
    kinds.RETURN: BodyReader._return,
    **dict.fromkeys((kinds.BINARY, kinds.COMPOUND_ASSIGN, kinds.UNARY), BodyReader._operator),
}
