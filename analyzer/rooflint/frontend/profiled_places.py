"""Where loops and branches stand, in the terms in which coverage tools count them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rooflint.frontend.lower.control.no_return import is_final_call
from rooflint.frontend.lower.loops.loop_parts import parts_of
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.effects import EffectTable
from rooflint.frontend.lower.state.shared import TranslationUnitContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import Cursor
from rooflint.frontend.parse.folding import is_never_true
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.frontend.request import Request
from rooflint.ir import BranchPlace, LoopPlace, LoopTest, ProfiledPlaces, Span
from rooflint.records import NamedTuple

_LEAVES: Final = frozenset((kinds.RETURN, kinds.GOTO, kinds.INDIRECT_GOTO, kinds.THROW))
_TAKING_BREAKS: Final = kinds.LOOPS | {kinds.SWITCH}
_JOINING: Final = frozenset((kinds.LOGICAL_AND, kinds.LOGICAL_OR))
_WITHOUT_BRANCHES: Final = frozenset((kinds.CALL, kinds.COMPOUND_ASSIGN, kinds.BINARY, kinds.UNARY))
"""Statements of one expression."""


class _CountedPlace(NamedTuple):
    """A loop or another branch of a function: its offsets, and the line of its test."""

    begin: int
    end: int
    line: int
    loop: LoopPlace | None = None


def profiled_places(
    unit: TranslationUnitContext, request: Request, functions: Iterable[Cursor]
) -> ProfiledPlaces:
    """Loops and branches of these functions, of a template those of its pattern."""
    if not request.places:
        return ProfiledPlaces()
    loops: dict[Span, LoopPlace] = {}
    branches: dict[BranchPlace, None] = {}
    for function in functions:
        walk = _FunctionWalk(unit, request.path, function)
        loops.update({each.loop: each for each in walk.loops()})
        branches.update(dict.fromkeys(walk.branches))
    return ProfiledPlaces(
        loops=tuple(sorted(loops.values(), key=lambda each: each.loop)),
        branches=tuple(sorted(branches, key=lambda each: each.keyword)),
    )


class _FunctionWalk:
    """The walk of one function; a class inside it has functions of its own."""

    def __init__(self, unit: TranslationUnitContext, path: str, function: Cursor) -> None:
        self._unit = unit
        self._source = unit.source
        self._context = LoweringContext(unit, EffectTable(unit))
        self._path = path
        self._sites: list[_CountedPlace] = []
        self.branches: list[BranchPlace] = []
        tree = unit.tree(function)
        extent = self._source.extent(tree.cursor)
        if extent[0] >= 0:
            self._function = self._source.span(*extent)
            self._visit(tree)

    def loops(self) -> Iterator[LoopPlace]:
        """All loops, with what the other branches on their lines leave readable."""
        branching = {each.line for each in self._sites}
        for site in self._sites:
            if site.loop is not None:
                test = site.loop.test._replace(closes_line=not self._is_disturbed(site))
                before = site.loop.line_before
                yield site.loop._replace(
                    test=test, line_before=0 if before in branching else before
                )

    def _is_disturbed(self, site: _CountedPlace) -> bool:
        return any(
            each is not site
            and each.line == site.line
            and (each.loop is not None or each.begin >= site.end)
            for each in self._sites
        )

    def _visit(self, tree: SyntaxTree, line_before: int = 0) -> None:
        if tree.kind in kinds.LOOPS:
            if not self._runs_once(tree):
                self._loop(tree, line_before)
        elif tree.kind == kinds.IF:
            self._branch(tree)
        elif _is_choice(self._unit, tree):
            self._note(tree)
        if tree.kind == kinds.COMPOUND:
            self._block(tree)
        else:
            is_function = tree.kind in _FUNCTIONS
            for child in tree.children:
                if is_function and child.kind == kinds.COMPOUND:
                    self._block(child, self._line_of_name(tree.cursor))
                else:
                    self._visit(child)

    def _block(self, tree: SyntaxTree, line_before: int = 0) -> None:
        """``line_before``: of what runs as often as the block, 0 where nothing tells."""
        for statement in tree.children:
            self._visit(statement, line_before)
            if statement.kind != kinds.DECL_STMT or _runs_code(statement):
                line_before = self._line_of_simple(statement)

    def _line_of_name(self, cursor: Cursor) -> int:
        """gcov counts the calls of a function on the line of its name."""
        offset = self._source.offset(self._unit.clang.getCursorLocation(cursor))
        return self._source.line(offset) if offset >= 0 else 0

    def _line_of_simple(self, statement: SyntaxTree) -> int:
        """The line of a statement that runs once if it runs; 0 for others."""
        simple = statement.kind in _WITHOUT_BRANCHES or statement.kind == kinds.DECL_STMT
        if not simple or any(_is_choice(self._unit, each) for each in _below(statement)):
            return 0
        begin, end = self._source.extent(statement.cursor)
        line = self._source.line(begin) if begin >= 0 else 0
        return line if line == self._source.line(end) else 0

    def _loop(self, tree: SyntaxTree, line_before: int) -> None:
        begin, end = self._source.extent(tree.cursor)
        condition, body = self._header(tree)
        at_body = self._start(body)
        if begin < 0 or at_body is None:
            return
        span = self._source.span(begin, end)
        test = LoopTest(span.line, terms=1 if tree.kind == kinds.RANGE_FOR else 0)
        if condition is not None:
            test = self._test(condition, span.line)
        place = LoopPlace(
            path=self._path,
            function=self._function,
            loop=span,
            body=at_body,
            test=test,
            post_test=tree.kind == kinds.DO,
            early_exit=self._may_leave(tree.children),
            line_before=0 if line_before == span.line else line_before,
        )
        self._sites.append(_CountedPlace(begin=begin, end=end, line=test.line, loop=place))

    def _runs_once(self, tree: SyntaxTree) -> bool:
        """``do { ... } while (0)``, as macros have it: a block, which no tool counts as a loop."""
        if tree.kind != kinds.DO:
            return False
        return is_never_true(self._unit.clang, tree.children[-1].cursor)

    def _header(self, tree: SyntaxTree) -> tuple[SyntaxTree | None, SyntaxTree]:
        if tree.kind == kinds.RANGE_FOR:
            return None, tree.children[-1]
        parts = parts_of(self._context, tree)
        return parts.condition, parts.body

    def _test(self, condition: SyntaxTree, line: int) -> LoopTest:
        terms = list(self._terms(condition))
        lines = {self._line(each) for each in (condition, *terms)}
        readable = len(lines) == 1 and not any(map(self._decides_itself, terms))
        return LoopTest(self._line(condition) or line, terms=len(terms) if readable else 0)

    def _terms(self, condition: SyntaxTree) -> Iterator[SyntaxTree]:
        """The operands of ``&&``, in order."""
        if self._operator(condition) == kinds.LOGICAL_AND:
            for child in condition.children:
                yield from self._terms(child)
        else:
            yield condition

    def _operator(self, tree: SyntaxTree) -> int:
        if tree.kind != kinds.BINARY:
            return 0
        operator: int = self._unit.clang.getCursorBinaryOperatorKind(tree.cursor)
        return operator

    def _decides_itself(self, term: SyntaxTree) -> bool:
        """Whether a term makes no jump, or further ones."""
        if term.kind in kinds.CONSTANTS or term.kind in (kinds.VARIABLE, kinds.DECL_STMT):
            return True
        return any(_is_choice(self._unit, each) for each in (term, *_below(term)))

    def _line(self, tree: SyntaxTree) -> int:
        begin = self._source.extent(tree.cursor)[0]
        return self._source.line(begin) if begin >= 0 else 0

    def _start(self, tree: SyntaxTree) -> tuple[int, int] | None:
        begin = self._source.extent(tree.cursor)[0]
        if begin < 0:
            return None
        span = self._source.span(begin, begin)
        return span.line, span.column

    def _may_leave(self, trees: Sequence[SyntaxTree], breaks: bool = True) -> bool:
        """Whether a statement leaves the loop; ``breaks``: ``break`` belongs to it."""
        for tree in trees:
            kind = tree.kind
            if (
                kind in _LEAVES
                or (kind == kinds.BREAK and breaks)
                or is_final_call(self._unit, tree)
            ):
                return True
            inner = breaks and kind not in _TAKING_BREAKS
            if kind != kinds.LAMBDA and self._may_leave(tree.children, inner):
                return True
        return False

    def _branch(self, tree: SyntaxTree) -> None:
        """An ``if``: its guarded part comes behind the condition and what that declares."""
        self._note(tree)
        parts = [each for each in tree.children if each.kind not in _DECLARING]
        keyword = self._start(tree)
        then = self._start(parts[1]) if len(parts) > 1 else None
        if keyword is not None and then is not None:
            place = BranchPlace(
                path=self._path, function=self._function, keyword=keyword, then=then
            )
            self.branches.append(place)

    def _note(self, tree: SyntaxTree) -> None:
        begin, end = self._source.extent(tree.cursor)
        if begin >= 0:
            self._sites.append(_CountedPlace(begin=begin, end=end, line=self._source.line(begin)))


_FUNCTIONS: Final = frozenset((kinds.FUNCTION, kinds.FUNCTION_TEMPLATE, *kinds.METHODS))
_DECLARING: Final = frozenset((kinds.DECL_STMT, kinds.VARIABLE))


def _is_choice(unit: TranslationUnitContext, tree: SyntaxTree) -> bool:
    """Whether compilers make jumps of it."""
    if tree.kind == kinds.BINARY:
        return unit.clang.getCursorBinaryOperatorKind(tree.cursor) in _JOINING
    return tree.kind in (kinds.CONDITIONAL, kinds.IF, kinds.SWITCH, *kinds.LOOPS)


def _runs_code(statement: SyntaxTree) -> bool:
    """Whether a declaration gives something a value."""
    return any(variable.children for variable in statement.children)


def _below(tree: SyntaxTree) -> Iterator[SyntaxTree]:
    for child in tree.children:
        yield child
        if child.kind != kinds.LAMBDA:
            yield from _below(child)
