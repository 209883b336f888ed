"""Where control is while a function is lowered: the loop and the switch around, calls inlined."""

from collections.abc import Iterable
from itertools import groupby

from msgspec.structs import replace

from rooflint.frontend.lower.state.operands import Environment, Lvalue, Operand, Result
from rooflint.frontend.lower.state.shared import Decl
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir import ControlFlowGraph, Definition, Poly


class BodyDefinitions:
    """Integer assignments in the body of a loop, or in a function outside of its loops.

    ``arms``: branches around the present place in the body.
    """

    def __init__(self) -> None:
        self.made: list[Definition] = []
        self.arms = 0
        self._declared: set[int] = set()

    def declare(self, key: int) -> None:
        """The variable is the body's own."""
        self._declared.add(key)

    def declares(self, key: int) -> bool:
        """Whether the variable is the body's own."""
        return key in self._declared

    def drop(self, name: str, begin: int) -> None:
        """Takes the assignments of a variable out, those made since ``begin``."""
        self.made[begin:] = [each for each in self.made[begin:] if each.variable != name]

    def hide_condition(self, begin: int) -> None:
        """No node evaluates the condition of the assignments made since ``begin``."""
        made = self.made[begin:]
        self.made[begin:] = [replace(each, condition="unstated") for each in made]

    def state(self, name: str) -> None:
        """A statement computes what the variable was given so far; that it is declared stays."""
        self.made = [
            replace(each, value=None) if each.variable == name else each
            for each in self.made
            if each.variable != name or each.own
        ]


class LoopScope:
    """A loop being lowered: what its body changes, and how control leaves it.

    ``counters`` count loops inside it. ``unsaid``: members that it changes in a function it calls.
    ``exit_paths``: keys of cursors that only lead out of it.
    """

    def __init__(self, modified: frozenset[int], outer: "LoopScope | None") -> None:
        self.modified = modified
        self.outer = outer
        self.defined: set[int] = set()
        self.exits: dict[str, None] = {}
        self.continues: list[Environment] = []
        self.counters: set[int] = set()
        self.unsaid: dict[int, str] = {}
        self.exit_paths: frozenset[int] = frozenset()
        self.definitions = BodyDefinitions()


class ControlFlow:
    """The innermost loop, switches around, labels so far, and ``goto`` statements that lead back.

    ``gotos_back`` are byte offsets; ``graphs`` are those of the bodies lowered so far.
    """

    def __init__(self) -> None:
        self.loop: LoopScope | None = None
        self.function_definitions = BodyDefinitions()
        self.gotos_back: list[int] = []
        self.graphs: list[ControlFlowGraph] = []
        self._labels: set[str] = set()
        self._switches = 0
        self._switches_outside: list[int] = []

    def enter_loop(self, modified: frozenset[int]) -> LoopScope:
        """Lowering goes on in the body of a loop that changes these variables."""
        self.loop = LoopScope(modified, self.loop)
        self._switches_outside.append(self._switches)
        return self.loop

    def leave_loop(self) -> None:
        """Lowering goes on behind the innermost loop."""
        if self.loop is not None:
            self._switches_outside.pop()
            self.loop = self.loop.outer

    @property
    def definitions(self) -> BodyDefinitions:
        """Those of the innermost loop, or of the function."""
        return self.function_definitions if self.loop is None else self.loop.definitions

    def note_definition(
        self, name: str, key: int, type_: str, value: Poly | None, origin: int
    ) -> None:
        """An integer variable is given a value here, which None stands for where it is open."""
        body = self.definitions
        skipped = body.arms > 0 or (self.loop is not None and bool(self.loop.exits))
        body.made.append(
            Definition(
                variable=name,
                type=type_,
                value=value,
                own=body.declares(key),
                condition="branch" if skipped else "none",
                origin=origin,
            )
        )

    def define(self, *keys: int) -> None:
        """These variables have a value in the present iteration of the innermost loop."""
        if self.loop is not None:
            self.loop.defined.update(keys)

    def is_unsaid(self, key: int) -> bool:
        """Whether a loop around changes a member that nothing had named before it began."""
        scope = self.loop
        while scope is not None:
            if key in scope.unsaid:
                return True
            scope = scope.outer
        return False

    def note_unsaid(self, field: int, key: int, name: str) -> None:
        """A member that has only now been named; ``field`` is the key of its declaration."""
        scope = self.loop
        while scope is not None:
            if field in scope.modified:
                scope.unsaid[key] = name
            scope = scope.outer

    def enter_switch(self) -> None:
        """A ``break`` from here on ends the switch."""
        self._switches += 1

    def leave_switch(self) -> None:
        """Lowering goes on behind the innermost switch."""
        self._switches -= 1

    def break_ends_switch(self) -> bool:
        """Whether the innermost statement that a ``break`` can end is a switch."""
        outside = self._switches_outside[-1] if self._switches_outside else 0
        return self._switches > outside

    def note_exit_paths(self, keys: frozenset[int]) -> None:
        """Cursors that only lead out of the innermost loop."""
        if self.loop is not None:
            self.loop.exit_paths |= keys

    def on_exit_path(self, tree: SyntaxTree) -> bool:
        """Whether a statement only leads out of the innermost loop."""
        return self.loop is not None and tree.cursor.key in self.loop.exit_paths

    def by_exit_path(self, tree: SyntaxTree) -> Iterable[tuple[bool, list[SyntaxTree]]]:
        """The statements of a block in groups: those that only lead out of the loop, and others.

        Of a block that leads out as a whole nothing is told apart.
        """
        loop = self.loop
        if loop is None or not loop.exit_paths or self.on_exit_path(tree):
            return ((False, tree.children),)
        groups = groupby(tree.children, key=self.on_exit_path)
        return [(leads_out, list(children)) for leads_out, children in groups]

    def keep_graph(self, graph: ControlFlowGraph) -> None:
        """The graph of a body that has been lowered."""
        self.graphs.append(graph)

    def exit_loop(self, kind: str) -> None:
        """Control may leave the innermost loop, or its iteration, here."""
        if self.loop is not None:
            self.loop.exits[kind] = None

    def note_continue(self, env: Environment) -> None:
        """An iteration may end here, with its variables as in ``env``."""
        if self.loop is not None:
            self.loop.continues.append(dict(env))

    def exit_function(self, kind: str) -> None:
        """Control may leave every loop around."""
        scope = self.loop
        while scope is not None:
            scope.exits[kind] = None
            scope = scope.outer

    def label(self, name: str) -> None:
        """A label that a ``goto`` behind it would lead back to."""
        self._labels.add(name)

    def jump(self, label: str, offset: int) -> None:
        """A ``goto`` at a byte offset of the file."""
        if label in self._labels:
            self.gotos_back.append(offset)


class InlineStack:
    """The functions that stand in place of their calls here, outermost first.

    ``this`` is the object that the innermost method runs on; None for that of the function itself.
    ``entered``: keys of all functions that stood in place of a call so far.
    """

    def __init__(self) -> None:
        self.callees: list[Decl] = []
        self.this: Lvalue | None = None
        self.entered: set[int] = set()
        self._objects: list[Lvalue | None] = []
        self._results: list[Operand | Result | None] = []
        self._types: list[str | None] = []

    def enter(self, callee: Decl, this: Lvalue | None) -> None:
        """Lowering goes on in the body of ``callee``; ``this`` is the object of a method."""
        self.callees.append(callee)
        self.entered.add(callee.key)
        self._objects.append(self.this)
        self.this = this

    def leave(self) -> None:
        """Lowering goes on behind the call."""
        self.callees.pop()
        self.this = self._objects.pop()

    def await_result(self, type_: str | None) -> None:
        """The body lowered next may return a value; of this type, where it does in several
        places."""
        self._results.append(None)
        self._types.append(type_)

    @property
    def common_type(self) -> str | None:
        """The type of what the innermost body returns in several places; None for one place."""
        return self._types[-1]

    def give(self, result: Operand | Result | None) -> None:
        """The innermost body returns this, the same in all of its places."""
        if result is None or self._results[-1] != result:
            self._results.append(result)

    def take_result(self) -> Operand | Result | None:
        """The result of the body lowered last."""
        self._types.pop()
        result = self._results.pop()
        if self._results and result is not None and self._results[-1] is None:
            self._results.pop()
        return result
