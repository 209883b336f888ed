"""The lowering of one function: its environment, and the statement being built.

``env`` maps a declaration to what it holds now: an integer in closed form (Poly), a pointer into an
array (Pointer), or the lvalue a reference stands for (Lvalue). It is copied at branches and merged
behind them. Everything else only grows.
"""

from typing import TypeVar

from rooflint.frontend.lower.state.effects import EffectTable
from rooflint.frontend.lower.state.flow import ControlFlow, InlineStack
from rooflint.frontend.lower.state.memory import MemoryTable
from rooflint.frontend.lower.state.names import SymbolTable, VariableNames
from rooflint.frontend.lower.state.operands import Binding, Environment, Lvalue, Operand, Result
from rooflint.frontend.lower.state.origins import OriginTable
from rooflint.frontend.lower.state.shared import Decl, UnitContext
from rooflint.frontend.lower.state.types import CType
from rooflint.frontend.parse.clang_c import Cursor
from rooflint.frontend.parse.tree import SyntaxTree, has_loop
from rooflint.ir import Access, Node, Poly, Statement, Value

Annotation = TypeVar("Annotation")


class OpenStatement:
    """A statement half built: values, accesses, closed forms and paths of members by value."""

    def __init__(self) -> None:
        self.values: list[Value] = []
        self.accesses: list[Access] = []
        self.closed: dict[int, Poly] = {}
        self.paths: dict[int, str] = {}

    def note_closed(self, number: int, poly: Poly) -> None:
        """Records the closed form of a value."""
        self.closed[number] = poly

    def note_path(self, number: int, path: str) -> None:
        """Records which member of its element a value was loaded from."""
        self.paths[number] = path

    def discard(self, values: int = 0, accesses: int = 0) -> None:
        """Drops what the statement being built has beyond so many values and accesses."""
        del self.values[values:], self.accesses[accesses:]
        for table in (self.closed, self.paths):
            for number in [number for number in table if number >= values]:
                del table[number]

    def drop(self, begin: int, end: int) -> None:
        """Takes values that no other refers to out of the statement being built."""
        if end == len(self.values):
            self.discard(begin, len(self.accesses))
            return
        gap = end - begin
        behind = [
            v._replace(args=tuple(a - gap if a >= end else a for a in v.args))
            for v in self.values[end:]
        ]
        self.values[begin:] = behind
        self.closed = {n - gap if n >= end else n: p for n, p in _outside(self.closed, begin, end)}
        self.paths = {n - gap if n >= end else n: p for n, p in _outside(self.paths, begin, end)}


class FunctionState:
    """The function being lowered; ``lambdas`` are those that nothing has called yet."""

    def __init__(self) -> None:
        self.key = 0
        self.tree: SyntaxTree | None = None
        self.returns = ""
        self.lambdas: list[SyntaxTree] = []
        self.assumptions: dict[str, None] = {}

    def begin(self, tree: SyntaxTree, result: CType) -> None:
        """``returns`` becomes the type of a scalar result, and stays empty for any other."""
        self.key, self.tree = tree.cursor.d0, tree
        self.returns = result.ir if result.shape == "scalar" else ""

    def defer(self, lambda_: SyntaxTree) -> None:
        """A lambda that is lowered where it is called, or else in the end."""
        self.lambdas.append(lambda_)

    def defer_loops(self, lambda_: SyntaxTree) -> None:
        """The same for one that only counts if it has loops."""
        if has_loop(lambda_):
            self.defer(lambda_)


class LoweringContext:
    """The lowering of one function."""

    def __init__(self, unit: UnitContext, effects: EffectTable) -> None:
        self.unit = unit
        self.effects = effects
        self.function = FunctionState()
        self.variables = VariableNames(unit)
        self.symbols = SymbolTable()
        self.memory = MemoryTable()
        self.flow = ControlFlow()
        self.inlining = InlineStack()
        self.origins = OriginTable(unit.source)
        self.env: Environment = {}
        self.nodes: list[Node] = []
        self.statement = OpenStatement()

    def assume(self, sentence: str) -> None:
        """Records what is taken for granted; marks of unfinished names are left out."""
        self.function.assumptions[sentence.replace("@", "")] = None

    # -- variables -------------------------------------------------------------------------------

    def bind(self, key: int, binding: Binding) -> None:
        """The variable holds this from here on."""
        self.env[key] = binding

    def switch_environment(self, env: Environment) -> Environment:
        """Goes on with another environment and returns the present one."""
        before, self.env = self.env, env
        return before

    def member_key(self, name: str, field: Decl) -> int:
        """A key for a member of a record that does not move: a variable of its own.

        ``EffectTable.modified`` knows it by the key of its declaration ``field``.
        """
        closed = field.ctype.is_integer or field.ctype.shape == "pointer"
        if closed and not self.variables.has_member(name):
            self.flow.note_unsaid(field.key, self.variables.next_member(), name)
        return self.variables.member(name, field)

    def changes(self, key: int) -> bool:
        """Whether the innermost loop changes this variable."""
        loop = self.flow.loop
        return loop is not None and (
            key in loop.modified or self.variables.member_fields.get(key, 0) in loop.modified
        )

    def read_scalar(self, name: str, key: int, type_: str) -> int:
        """The value of a scalar: carried from the last iteration, or known in this one."""
        loop = self.flow.loop
        carried = loop is not None and key not in loop.defined and self.changes(key)
        return self.emit("carried" if carried else "scalar", type_, name=name)

    def write_scalar(self, name: str, key: int, type_: str, value: int) -> None:
        """Gives a scalar a value."""
        self.emit("assign", type_, (value,), name)
        self.flow.define(key)

    # -- nodes -----------------------------------------------------------------------------------

    def append(self, *nodes: Node) -> None:
        """Adds nodes behind those of the present block."""
        self.nodes += nodes

    def replace_latest(self, node: Node) -> None:
        """Puts a node in the place of the latest one."""
        self.nodes[-1] = node

    def begin_block(self) -> list[Node]:
        """Sets the present block aside for a new one; ``end_block`` takes it up."""
        outer, self.nodes = self.nodes, []
        return outer

    def end_block(self, outer: list[Node]) -> tuple[Node, ...]:
        """The nodes since ``begin_block``, which returned ``outer``."""
        nodes, self.nodes = tuple(self.nodes), outer
        return nodes

    def take_nodes(self, mark: int) -> list[Node]:
        """Takes the nodes behind the first ``mark`` out of the present block."""
        taken = self.nodes[mark:]
        del self.nodes[mark:]
        return taken

    # -- the statement being built ---------------------------------------------------------------

    def emit(
        self,
        op: str,
        type_: str,
        args: tuple[int, ...] = (),
        name: str = "",
        poly: Poly | None = None,
        number: int | float | None = None,
    ) -> int:
        """Adds a value and returns its number; without ``Value(...)``, whose code is Python's."""
        self.statement.values.append(
            tuple.__new__(Value, (op, type_, args, name, -1, poly, number))
        )
        return len(self.statement.values) - 1

    def emit_access(
        self, op: str, access: Access, args: tuple[int, ...] = (), name: str = ""
    ) -> int:
        """Adds a load or a store."""
        values, accesses = self.statement.values, self.statement.accesses
        accesses.append(access)
        self.memory.used.add(access.array)
        value = (op, access.type, args, name, len(accesses) - 1, None, None)
        values.append(tuple.__new__(Value, value))
        return len(values) - 1

    def finish_statement(self, cursor: Cursor) -> None:
        """Appends the statement built since the last one, if it does anything."""
        if self.statement.values:
            self.nodes.append(self.take_statement(self.origins.origin(cursor)))

    def begin_statement(self) -> OpenStatement:
        """Sets the statement being built aside for a new one; ``resume_statement`` takes it up."""
        pending, self.statement = self.statement, OpenStatement()
        return pending

    def resume_statement(self, pending: OpenStatement) -> None:
        """Goes on with a statement that was set aside."""
        self.statement = pending

    def take_statement(self, origin: int) -> Statement:
        """The values built so far as a statement; a new one is begun."""
        taken = self.begin_statement()
        return Statement(tuple(taken.values), tuple(taken.accesses), origin)

    # -- calls that functions stand in place of --------------------------------------------------

    def enter_call(self, call: Cursor, callee: Decl, this: Lvalue | None) -> None:
        """Lowering goes on in the body of ``callee``; ``this`` is the object of a method."""
        self.inlining.enter(callee, this)
        self.origins.enter_call(call)

    def leave_call(self) -> None:
        """Lowering goes on behind the call."""
        self.inlining.leave()
        self.origins.leave_call()

    def give_result(self, result: Operand | None, cursor: Cursor) -> None:
        """The value an inlined function gives back: by way of a scalar when it is computed."""
        if not isinstance(result, int):
            self.inlining.give(result)
            return
        name = f"{self.inlining.callees[-1].name}()"
        type_ = self.statement.values[result].type
        self.emit("assign", type_, (result,), name)
        self.finish_statement(cursor)
        self.inlining.give(Result(name, type_))


def _outside(table: dict[int, Annotation], begin: int, end: int) -> list[tuple[int, Annotation]]:
    return [(number, kept) for number, kept in table.items() if not begin <= number < end]
