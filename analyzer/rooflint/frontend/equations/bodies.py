"""Bodies of functions as equations: assignments, initialisers, arguments, returns, loops."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from rooflint.frontend.declared.references import CALLABLE
from rooflint.frontend.equations import bounds, containers
from rooflint.frontend.equations.arguments import PassedArgument, argument_equations, is_address
from rooflint.frontend.equations.collected import CollectedEquations
from rooflint.frontend.equations.comparisons import comparisons, way_tests
from rooflint.frontend.equations.containers import LengthChange
from rooflint.frontend.equations.counters import growth
from rooflint.frontend.equations.initialisers import constructor_initialisers, initial_integers
from rooflint.frontend.equations.loops import LoopSource, bounded_loop, repeated_parts
from rooflint.frontend.equations.position import CodePlace
from rooflint.frontend.equations.terms import written_term
from rooflint.frontend.equations.work import TELLING
from rooflint.frontend.lower.control.branches import case_path, condition_pattern, path_pattern
from rooflint.frontend.lower.loops.loop_parts import parts_of
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import Cursor
from rooflint.frontend.parse.tree import SyntaxTree, build
from rooflint.ir.control_flow import ConditionPattern, PathPattern
from rooflint.ir.equations import (
    Accessor,
    BranchSite,
    BranchTest,
    DefinedFunction,
    Equation,
    Equations,
    IntegerTerm,
    QuantityTerm,
    Term,
)
from rooflint.library.calls import is_copy

_LABELS: Final = frozenset((kinds.CASE, kinds.DEFAULT))
_DECLARING: Final = frozenset((kinds.DECL_STMT, kinds.VARIABLE))


class BodyReader:
    """Collects what the functions and variables of one file say."""

    def __init__(self, context: LoweringContext, path: str) -> None:
        self.collected = CollectedEquations(context, path)
        self.table = self.collected.table
        self.reader = self.collected.reader
        self._context = context
        self._clang = context.unit.clang
        self._source = context.unit.source
        self._position = self.collected.position
        self._targets = self.collected.targets
        self._work = self.collected.work
        self._counters = self.collected.counters
        self._tables = self.collected.tables
        self._lambdas: list[tuple[Cursor, SyntaxTree]] = []

    def equations(self) -> Equations:
        """All that was read."""
        return self.collected.equations(self._source.comments())

    def read_variable(self, cursor: Cursor) -> None:
        """A variable outside of functions, or a member that its declaration initialises."""
        tree = build(self._clang, cursor, self._context.unit.is_broken(cursor))
        self._declaration(tree)
        self._targets.note_addresses_below(tree)

    def read_function(self, cursor: Cursor) -> None:
        """A function with a body, and the lambdas in it; of a template, its pattern."""
        self.collected.begin_part()
        self._lambdas = [(cursor, self._context.unit.tree(cursor))]
        while self._lambdas:
            function, tree = self._lambdas.pop(0)
            body = next((each for each in tree.children if each.kind == kinds.COMPOUND), None)
            if body is not None:
                self._function(function, tree, body)
        self.collected.end_part(cursor.d0)

    def _function(self, cursor: Cursor, tree: SyntaxTree, body: SyntaxTree) -> None:
        parameters = self.table.enter_parameters(cursor)
        function = self.table.result(cursor)
        self._position.go_to(CodePlace(function))
        self._tables.function = cursor
        for number, parameter in enumerate(parameters):
            if self.table.leads_to_integers(self._clang.getCursorType(parameter)):
                written = self.table.parameter(cursor, number, "written-target")
                target = self.table.parameter(cursor, number, "target")
                self._add(target, QuantityTerm(written), tree)
        defined = self._defined(cursor, tree, parameters)
        first = len(self.table.quantities)
        if cursor.kind == kinds.CONSTRUCTOR:
            self._member_initialisers(cursor)
        if (place := self.reader.returned_reference(cursor, body)) is not None:
            self.collected.accessors.append(Accessor(result=function, quantity=place))
        self._statement(body)
        name = self._clang.spelling(cursor)
        variables = tuple(self.table.variables_of(name, first))
        unmodelled = function in self._work.unmodelled
        self.collected.functions.append(
            replace(
                defined,
                variables=variables,
                members=tuple(self.table.members_mentioned()),
                unmodelled=unmodelled,
            )
        )
        self._position.go_to(CodePlace())

    def _defined(
        self, cursor: Cursor, tree: SyntaxTree, parameters: list[Cursor]
    ) -> DefinedFunction:
        begin, end = self._source.extent(tree.cursor)
        span = self._source.span(begin, end) if begin >= 0 else None
        overridden = self._clang.overridden(cursor) if cursor.kind in kinds.METHODS else []
        return DefinedFunction(
            result=self.table.result(cursor),
            parameters=tuple([self.table.variable(each) for each in parameters]),
            span=span,
            entry=self._clang.spelling(cursor) == "main",
            overrides=tuple([self.table.result(each) for each in overridden]),
            header="" if span else self._source.span_elsewhere(cursor)[0],
        )

    def _add(self, target: int, term: Term, tree: SyntaxTree) -> None:
        if term != QuantityTerm(target):
            begin = self._source.extent(tree.cursor)[0]
            line = self._source.line(begin) if begin >= 0 else 0
            conditional = self._position.place.arm >= 0
            equation = Equation(target=target, term=term, line=line, conditional=conditional)
            self.collected.records[equation] = None

    def _member_initialisers(self, cursor: Cursor) -> None:
        for member, value in constructor_initialisers(self._clang, cursor):
            own = build(self._clang, value, self._context.unit.is_broken(value))
            holder = SyntaxTree(kinds.UNEXPOSED, value, [own])
            if member is not None:
                self._targets.pointers.note_initial(member, own)
                changes = containers.changes_by_declaration(self.reader, member, holder)
                self._note_lengths(changes, holder)
            if member is not None and self.table.is_integer(self._clang.getCursorType(member)):
                self._add(self.table.variable(member), self.reader.term(holder), holder)
            self._statement(holder)

    def _statement(self, tree: SyntaxTree) -> None:
        """A statement or an expression with all that is in it."""
        read = _STATEMENTS.get(tree.kind)
        if read is not None:
            read(self, tree)
            return
        if tree.kind in TELLING:
            self._plain(tree)
        for child in tree.children:
            self._statement(child)

    def _lambda(self, tree: SyntaxTree) -> None:
        """A lambda's body is a function of its own, which is read after the one around it."""
        operator = self._targets.operator_of(tree)
        if operator is not None:
            self._lambdas.append((operator, tree))
            self._targets.note_address(operator)

    def _block(self, tree: SyntaxTree) -> None:
        """Statements in their order; behind ``if (…) continue;`` they lie on the other path."""
        before = self._position.place
        self._work.note_block(tree)
        for child in tree.children:
            position = len(self.collected.branches)
            self._statement(child)
            if child.kind != kinds.IF or position == len(self.collected.branches):
                continue
            branch = self.collected.branches[position]
            if branch.then == "next-iteration" and branch.orelse is None:
                here = self._position.place
                self._position.go_to(here._replace(arm=2 * position + 1))
        self._position.go_to(before)

    def _switch(self, tree: SyntaxTree) -> None:
        """A ``switch``: each of its labels begins a way that the others do not take."""
        *head, body = tree.children
        for part in head:
            self._statement(part)
        before = self._position.place
        inside = before._replace(in_switch=True)
        self._position.go_to(inside)
        tests = way_tests(self.reader, head, body)
        ways = len(tests)
        for child in body.children:
            if child.kind in _LABELS:
                self._position.go_to(inside)
                path = case_path(self._context.unit, child.children[-1:])
                position = self._enter_branch(child, "case", [path], tests.pop(0), ways)
                self._position.go_to(inside._replace(arm=2 * position))
            self._statement(child)
        self._position.go_to(before)

    def _plain(self, tree: SyntaxTree) -> None:
        """A statement or an operator, without those in it."""
        kind = tree.kind
        self._work.count(tree)
        if kind == kinds.VARIABLE:
            self._declaration(tree)
            self._targets.note_destruction(self._clang.getCursorType(tree.cursor), tree)
        elif kind == kinds.DECL_REF:
            function = self._targets.function_of(tree)
            if function is not None:
                self._targets.note_address(function)
        elif kind == kinds.DELETE:
            self._targets.note_deletion(tree)
        elif kind in (kinds.BINARY, kinds.COMPOUND_ASSIGN, kinds.UNARY):
            self._operation(tree)

    def _return(self, tree: SyntaxTree) -> None:
        if tree.children and self._position.place.function >= 0:
            self._add(self._position.place.function, self.reader.term(tree.children[0]), tree)
            self._note_objects(tree)
        for child in tree.children:
            self._statement(child)

    def _element(self, tree: SyntaxTree) -> None:
        self._work.count(tree)
        self._tables.note_access(tree, self.collected.branches)
        self.collected.upper_ends.update(dict.fromkeys(bounds.indexed_ends(self.reader, tree)))
        for child in tree.children:
            self._statement(child)

    def _note_objects(self, tree: SyntaxTree) -> None:
        self._targets.pointers.note_set(tree, self._tables.function)
        for target, term in self._tables.assigned_extents(tree):
            self._add(target, term, tree)

    def _branch(self, tree: SyntaxTree) -> None:
        """An ``if`` or ``a ? b : c``: its condition comes before its one or two paths."""
        self._work.count(tree)
        if len(tree.children) < 2:
            for child in tree.children:
                self._statement(child)
            return
        # a path is a statement; what comes before the condition declares variables
        parts = enumerate(tree.children)
        first = next((place for place, each in parts if each.kind not in _DECLARING), 0)
        condition, *paths = tree.children[first:]
        unit, outer = self._context.unit, self._position.place
        patterns = [path_pattern(unit, path, in_switch=outer.in_switch) for path in paths]
        ends = [*bounds.upper_ends(self.reader, condition, patterns)]
        if len(paths) == 1:
            ends += bounds.clamped_ends(self.reader, condition, paths[0])
        self.collected.upper_ends.update(dict.fromkeys(ends))
        tests = list(comparisons(self.reader, condition))
        position = self._enter_branch(tree, condition_pattern(unit, condition), patterns, tests)
        for part in tree.children[: first + 1]:
            self._statement(part)
        for number, path in enumerate(paths):
            self._position.go_to(outer._replace(arm=2 * position + min(number, 1)))
            self._statement(path)
        self._position.go_to(outer)

    def _enter_branch(
        self,
        tree: SyntaxTree,
        condition: ConditionPattern,
        patterns: Sequence[PathPattern],
        tests: Sequence[BranchTest],
        ways: int = 2,
    ) -> int:
        begin = self._source.extent(tree.cursor)[0]
        place = self._position.place
        self.collected.branches.append(
            BranchSite(
                function=place.function,
                loop=place.loop,
                arm=place.arm,
                line=self._source.line(begin) if begin >= 0 else 0,
                condition=condition,
                then=patterns[0] if patterns else "goes-on",
                orelse=patterns[1] if len(patterns) > 1 else None,
                ways=ways,
                tests=tuple(tests),
            )
        )
        return len(self.collected.branches) - 1

    def _declaration(self, tree: SyntaxTree) -> None:
        if not tree.children:
            return
        self._note_objects(tree)
        value = tree.children[-1]
        self._note_lengths(containers.changes_by_declaration(self.reader, tree.cursor, value), tree)
        if value.kind == kinds.INIT_LIST and not self._is_integer(tree):
            for place, element in initial_integers(self.table, tree):
                self._add(place, self.reader.term(element), element)
        elif self._is_integer(tree) and self._is_integer(value):
            place, term = self.table.variable(tree.cursor), self.reader.term(value)
            self._add(place, term, tree)
            if isinstance(term, IntegerTerm) and self._position.place.function >= 0:
                self._counters.note(place, None)

    def _note_lengths(self, changes: Iterable[LengthChange], tree: SyntaxTree) -> None:
        for change in changes:
            if change.term is not None:
                self._add(change.target, change.term, tree)
            if change.counts:
                self._counters.note(change.target, change.step)

    def _is_integer(self, tree: SyntaxTree) -> bool:
        return self.table.is_integer(self._clang.getCursorType(tree.cursor))

    def _operation(self, tree: SyntaxTree) -> None:
        """An assignment, ``x++``, ``x += y`` or ``&x``."""
        term = written_term(self.reader, tree) if tree.children else None
        if tree.kind == kinds.BINARY and tree.children:
            self._note_objects(tree)
        place = None if term is None else self.reader.place(tree.children[0])
        if term is None or place is None:
            return
        self._add(self.reader.written(place), term, tree)
        if place not in self.reader.indices:
            step = growth(self.reader, tree, place)
            if step is not None or isinstance(term, IntegerTerm):
                self._counters.note(place, step)

    def _call(self, tree: SyntaxTree) -> None:
        callee = self._targets.callee_of(tree)
        count = 0
        overload = self._targets.only_overload(tree)
        if overload is not None:
            self._targets.note_call(overload, tree)
            self._targets.note_passed(overload, tree)
        elif self._targets.note_wrapped_call(callee, tree):
            pass
        elif callee.kind not in CALLABLE:
            if not self._targets.note_pointer_call(tree):
                self._work.note_unmodelled()
        else:
            count = self._targets.argument_count(callee, tree)
            copies = count > 0 and is_copy(self._clang.spelling(callee))
            length = self.reader.term(tree.children[-1]) if copies else None
            self._targets.note_call(callee, tree, length)
        self._note_lengths(containers.changes_by_method(self.reader, tree), tree)
        first = len(tree.children) - count
        for child in tree.children[:first]:
            if not self._targets.names(child, callee):
                self._statement(child)
        self._arguments(callee, tree.children[first:])

    def _arguments(self, callee: Cursor, trees: list[SyntaxTree]) -> None:
        for number, tree in enumerate(trees):
            self._targets.pointers.note_argument(PassedArgument(callee, number, tree))
            function = self._targets.function_of(tree)
            if function is None:
                self._targets.note_called_object(tree, callee)
                self._argument(PassedArgument(callee, number, tree))
            else:
                count = self.reader.term(trees[number - 2]) if number > 1 else None
                self._targets.note_address(function, callee, count)

    def _argument(self, argument: PassedArgument) -> None:
        tree = argument.tree
        self._note_lengths(containers.changes_by_argument(self.reader, argument), tree)
        passed = list(argument_equations(self.reader, argument))
        for target, term in (*passed, *self._tables.argument_extents(argument)):
            self._add(target, term, tree)
        # whoever writes to an address that is passed is accounted for
        accounted = bool(passed) and is_address(self.reader, tree)
        for part in tree.children if accounted else [tree]:
            self._statement(part)

    def _loop_statement(self, tree: SyntaxTree) -> None:
        parts = None if tree.kind == kinds.RANGE_FOR else parts_of(self._context, tree)
        if parts is not None and parts.init is not None:
            self._statement(parts.init)
        outer, indices = self._position.place, dict(self.reader.indices)
        loop = len(self.collected.loops)
        header = None if parts is None else bounds.counted_header(self.reader, parts)
        self.collected.loops.append(
            bounded_loop(self.reader, LoopSource(tree, parts, header), outer)
        )
        if header is not None:
            self.reader.indices[header.variable] = loop
        self._position.go_to(outer._replace(loop=loop, in_switch=False))
        for part in tree.children if parts is None else repeated_parts(parts):
            self._statement(part)
        self._position.go_to(outer)
        self.reader.indices = indices


_STATEMENTS: Final[dict[int, Callable[[BodyReader, SyntaxTree], None]]] = {
    **dict.fromkeys(kinds.LOOPS, BodyReader._loop_statement),
    kinds.COMPOUND: BodyReader._block,
    kinds.CALL: BodyReader._call,
    kinds.IF: BodyReader._branch,
    kinds.CONDITIONAL: BodyReader._branch,
    kinds.SWITCH: BodyReader._switch,
    kinds.RETURN: BodyReader._return,
    kinds.SUBSCRIPT: BodyReader._element,
    kinds.LAMBDA: BodyReader._lambda,
}
