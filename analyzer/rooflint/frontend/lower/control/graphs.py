"""Control-flow graphs of loop bodies and functions, from libclang's trees."""

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import Cursor
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir import ControlFlowGraph, FlowBlock, FlowEdge
from rooflint.ir.control_flow import BodyForm, EdgeKind, ExitKind
from rooflint.records import NamedTuple

_LEAVING: Final[dict[int, ExitKind]] = {
    kinds.RETURN: "return",
    kinds.THROW: "throw",
    kinds.INDIRECT_GOTO: "goto",
}
JUMPS: Final = frozenset(
    (*_LEAVING, kinds.BREAK, kinds.CONTINUE, kinds.GOTO, kinds.LABEL, kinds.SWITCH)
)
"""Statements that make the control flow of a body more than a tree of branches and loops."""


class SourceQueries(NamedTuple):
    """Facts about cursors that a graph is made of.

    origin         the number of the cursor's place
    never_returns  whether a call is of a function that never returns
    label          the label that a ``goto`` names or that a statement bears
    """

    origin: Callable[[Cursor], int]
    never_returns: Callable[[SyntaxTree], bool]
    label: Callable[[SyntaxTree], str]


class BodyFlow(NamedTuple):
    """The graph of a body; ``starts``: the blocks of its statements and arms, by cursor keys."""

    graph: ControlFlowGraph
    starts: dict[int, int]

    def exit_paths(self) -> frozenset[int]:
        """Cursor keys of statements that only lead out of the body.

        Empty for a body that never runs to completion: it has no steady state to be left.
        """
        completing = self.graph.completing()
        if 0 not in completing:
            return frozenset()
        return frozenset(key for key, block in self.starts.items() if block not in completing)


def has_jumps(tree: SyntaxTree, queries: SourceQueries, found: dict[int, bool]) -> bool:
    """Whether statements at or below jump or never return; expressions are not searched.

    ``found``: the answers so far, by cursor keys, so that bodies of inner loops are searched once.
    """
    kind = tree.kind
    if kind < kinds.UNEXPOSED_STMT or kind in JUMPS:
        return kind in JUMPS or _stops(tree, queries)
    key = tree.cursor.key
    known = found.get(key)
    if known is None:
        known = found[key] = any(has_jumps(child, queries, found) for child in tree.children)
    return known


def body_flow(form: BodyForm, statements: Iterable[SyntaxTree], queries: SourceQueries) -> BodyFlow:
    """The flow of control through these statements, one after another."""
    builder = _GraphBuilder(queries)
    for statement in statements:
        builder.add(statement)
    return builder.finish(form)


def _stops(tree: SyntaxTree, queries: SourceQueries) -> bool:
    return tree.kind == kinds.CALL and queries.never_returns(tree)


class _GraphBuilder:
    """A graph so far. ``_current`` is the open block; None where control cannot get to.

    ``_breaks`` and ``_continues``: blocks that jump behind the innermost loop or switch, and to the
    next iteration of the innermost loop. The outermost ``break`` leaves the body.
    """

    def __init__(self, queries: SourceQueries) -> None:
        self._queries = queries
        self._origins: list[list[int]] = []
        self._exits: dict[int, ExitKind] = {}
        self._edges: list[FlowEdge] = []
        self._starts: dict[int, int] = {}
        self._labels: dict[str, int] = {}
        self._gotos: list[tuple[int, str]] = []
        self._breaks: list[list[int] | None] = [None]
        self._continues: list[list[int]] = [[]]
        self._switches: list[_OpenSwitch] = []
        self._current: int | None = self._block()

    def add(self, tree: SyntaxTree) -> None:
        """Control goes through this statement next."""
        handler = _HANDLERS.get(tree.kind)
        if tree.kind not in _TARGETS:
            self._starts[tree.cursor.key] = self._at()
        if handler is not None:
            handler(self, tree)
        elif tree.kind in _STRAIGHT or tree.kind < kinds.UNEXPOSED_STMT:
            self._note(tree)
            if _stops(tree, self._queries):
                self._leave("no-return")
        else:
            for child in tree.children:
                self.add(child)

    def finish(self, form: BodyForm) -> BodyFlow:
        """The graph, whose jumps have found their labels."""
        end = self._block()
        self._exits[end] = "end"
        self._continue_with(end, self._continues[0])
        for source, label in self._gotos:
            if label in self._labels:
                self._edge(source, self._labels[label], "jump")
            else:
                self._exits[source] = "goto"
        blocks = [
            FlowBlock(exit=self._exits.get(number), origins=tuple(origins))
            for number, origins in enumerate(self._origins)
        ]
        graph = ControlFlowGraph(form=form, loop="", blocks=tuple(blocks), edges=tuple(self._edges))
        return BodyFlow(graph, self._starts)

    # -- statements ------------------------------------------------------------------------------

    def branch(self, tree: SyntaxTree) -> None:
        parts = list(tree.children)
        while len(parts) > 2 and parts[0].kind in (kinds.DECL_STMT, kinds.VARIABLE):
            self._note(parts.pop(0))
        condition = self._note(parts[0] if parts else tree)
        head = self._at()
        ends: list[tuple[int | None, EdgeKind]] = []
        ways: tuple[EdgeKind, ...] = ("true", "false")
        for way, arm in zip(ways, parts[1:3], strict=False):
            self._open(way, head, condition)
            self.add(arm)
            ends.append((self._current, "next"))
        if len(ends) < 2:
            self._current = self._block()
            self._edge(head, self._at(), "false", condition)
        else:
            self._current = None
        self._join(ends)

    def loop(self, tree: SyntaxTree) -> None:
        """A loop inside the body; one without a condition may end too, which says less than is
        known and nothing wrong."""
        if not tree.children:
            return
        head = self._follow()
        condition = self._note(tree)
        breaks, continues = self._enter_loop()
        if tree.kind == kinds.DO:
            self.add(tree.children[0])
            test = self._block()
            self._continue_with(test, continues)
            self._edge(test, head, "back", condition)
        else:
            test = head
            self._open("true", head, condition)
            self.add(tree.children[-1])
            if self._current is not None:
                continues.append(self._current)
            for source in continues:
                self._edge(source, head, "back")
        self._leave_loop()
        self._open("false", test, condition)
        self._join([(source, "jump") for source in breaks])

    def switch(self, tree: SyntaxTree) -> None:
        if not tree.children:
            return
        condition = self._note(tree.children[0])
        opened = _OpenSwitch(self._at(), condition)
        breaks: list[int] = []
        self._switches.append(opened)
        self._breaks.append(breaks)
        self._current = None
        self.add(tree.children[-1])
        self._switches.pop()
        self._breaks.pop()
        ends: list[tuple[int | None, EdgeKind]] = [(self._current, "next")]
        self._current = None
        if not opened.has_default:
            self._open("default", opened.head, condition)
        self._join([*ends, *((source, "jump") for source in breaks)])

    def case(self, tree: SyntaxTree) -> None:
        self._follow()
        if self._switches:
            opened = self._switches[-1]
            default = tree.kind == kinds.DEFAULT
            opened.has_default = opened.has_default or default
            way: EdgeKind = "default" if default else "case"
            self._edge(opened.head, self._at(), way, opened.condition)
        self._starts[tree.cursor.key] = self._at()
        for child in tree.children[-1:]:
            self.add(child)

    def label(self, tree: SyntaxTree) -> None:
        self._labels[self._queries.label(tree)] = self._follow()
        self._starts[tree.cursor.key] = self._at()
        for child in tree.children:
            self.add(child)

    def handlers(self, tree: SyntaxTree) -> None:
        """``try`` and its handlers, which may begin before or behind any of its statements."""
        head = self._at()
        ends: list[tuple[int | None, EdgeKind]] = []
        for child in tree.children:
            self._open("exception" if child.kind == kinds.CATCH else "next", head)
            self.add(child)
            ends.append((self._current, "next"))
        self._current = None
        self._join(ends)

    def jump(self, tree: SyntaxTree) -> None:
        breaks = self._breaks[-1]
        self._note(tree)
        if tree.kind == kinds.GOTO:
            self._gotos.append((self._at(), self._queries.label(tree)))
        elif tree.kind == kinds.CONTINUE:
            self._continues[-1].append(self._at())
        elif breaks is None:
            self._leave("break")
        else:
            breaks.append(self._at())
        self._current = None

    def leave(self, tree: SyntaxTree) -> None:
        self._note(tree)
        self._leave(_LEAVING[tree.kind])

    # -- parts of the graph ----------------------------------------------------------------------

    def _block(self) -> int:
        self._origins.append([])
        return len(self._origins) - 1

    def _at(self) -> int:
        """The open block; a new one, to which nothing leads, where there is none."""
        if self._current is None:
            self._current = self._block()
        return self._current

    def _note(self, tree: SyntaxTree) -> int:
        origin = self._queries.origin(tree.cursor)
        self._origins[self._at()].append(origin)
        return origin

    def _edge(self, source: int, target: int, kind: EdgeKind, condition: int = -1) -> None:
        self._edges.append(FlowEdge(source=source, target=target, kind=kind, condition=condition))

    def _open(self, kind: EdgeKind, source: int, condition: int = -1) -> None:
        """Goes on in a new block, to which control comes from ``source``."""
        self._current = self._block()
        self._edge(source, self._current, kind, condition)

    def _follow(self) -> int:
        """Goes on in a new block, to which jumps may lead beside the open one."""
        before, block = self._current, self._block()
        if before is not None:
            self._edge(before, block, "next")
        self._current = block
        return block

    def _join(self, ends: Iterable[tuple[int | None, EdgeKind]]) -> None:
        """Control comes to the open block, or a new one, from the ends of these blocks too."""
        for end, kind in ends:
            if end is not None:
                self._edge(end, self._at(), kind)

    def _continue_with(self, block: int, continues: Iterable[int]) -> None:
        """Goes on in ``block``, from the open one and from the jumps of ``continue``."""
        if self._current is not None:
            self._edge(self._current, block, "next")
        for source in continues:
            self._edge(source, block, "jump")
        self._current = block

    def _enter_loop(self) -> tuple[list[int], list[int]]:
        breaks: list[int] = []
        continues: list[int] = []
        self._breaks.append(breaks)
        self._continues.append(continues)
        return breaks, continues

    def _leave_loop(self) -> None:
        self._breaks.pop()
        self._continues.pop()

    def _leave(self, exit_: ExitKind) -> None:
        self._exits[self._at()] = exit_
        self._current = None


class _OpenSwitch:
    """A ``switch`` whose arms are being added: the block and the origin of its condition."""

    def __init__(self, head: int, condition: int) -> None:
        self.head = head
        self.condition = condition
        self.has_default = False


_TARGETS: Final = frozenset((kinds.LABEL, kinds.CASE, kinds.DEFAULT))
_STRAIGHT: Final = frozenset((kinds.DECL_STMT, kinds.NULL, kinds.ASM, kinds.MS_ASM))
_Handler: TypeAlias = Callable[[_GraphBuilder, SyntaxTree], None]
_HANDLERS: Final[dict[int, _Handler]] = {
    kinds.IF: _GraphBuilder.branch,
    kinds.SWITCH: _GraphBuilder.switch,
    kinds.CASE: _GraphBuilder.case,
    kinds.DEFAULT: _GraphBuilder.case,
    kinds.LABEL: _GraphBuilder.label,
    kinds.TRY: _GraphBuilder.handlers,
    **dict.fromkeys(kinds.LOOPS, _GraphBuilder.loop),
    **dict.fromkeys((kinds.BREAK, kinds.CONTINUE, kinds.GOTO), _GraphBuilder.jump),
    **dict.fromkeys(_LEAVING, _GraphBuilder.leave),
}
