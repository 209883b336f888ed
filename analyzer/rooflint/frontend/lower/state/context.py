"""The lowering of one function: its environment, and the statement under construction.

``env`` maps a declaration to its current value: an integer in closed form (Poly), a pointer into an
array (Pointer), or the lvalue of a reference (Lvalue). It is copied at branches and merged after
them. All other state only grows.
"""

from rooflint.frontend.lower.state.effects import EffectTable
from rooflint.frontend.lower.state.flow import ControlFlow, InlineStack
from rooflint.frontend.lower.state.memory import MemoryTable
from rooflint.frontend.lower.state.names import SymbolTable, VariableNames
from rooflint.frontend.lower.state.operands import Binding, Environment, Lvalue, Operand, Result
from rooflint.frontend.lower.state.origins import OriginTable
from rooflint.frontend.lower.state.shared import Decl, TranslationUnitContext
from rooflint.frontend.lower.state.statement_builder import StatementBuilder
from rooflint.frontend.lower.state.types import CType
from rooflint.frontend.parse.clang_c import Cursor
from rooflint.frontend.parse.tree import SyntaxTree, has_loop
from rooflint.ir import Assignment, CarriedRead, Node, Poly, ScalarRead


class FunctionState:
    """The function being lowered; ``lambdas`` are those that have not been called yet.

    ``opaque``: keys of the functions whose calls stay calls, whatever their arguments are.
    """

    def __init__(self) -> None:
        self.key = 0
        self.tree: SyntaxTree | None = None
        self.returns = ""
        self.lambdas: list[SyntaxTree] = []
        self.assumptions: dict[str, None] = {}
        self.opaque: set[int] = set()

    def begin(self, tree: SyntaxTree, result: CType) -> None:
        """``returns`` becomes the type of a scalar result, and stays empty for any other."""
        self.key, self.tree = tree.cursor.d0, tree
        self.returns = result.ir if result.shape == "scalar" else ""

    def note_opaque(self, key: int) -> None:
        """Calls of the function are opaque from here on."""
        self.opaque.add(key)

    def defer(self, lambda_: SyntaxTree) -> None:
        """A lambda that is lowered where it is called, or else in the end."""
        self.lambdas.append(lambda_)

    def defer_loops(self, lambda_: SyntaxTree) -> None:
        """The same for one that only counts if it has loops."""
        if has_loop(lambda_):
            self.defer(lambda_)


class LoweringContext(StatementBuilder):
    """The lowering of one function."""

    def __init__(self, unit: TranslationUnitContext, effects: EffectTable) -> None:
        super().__init__(MemoryTable())
        self.unit = unit
        self.effects = effects
        self.function = FunctionState()
        self.variables = VariableNames(unit)
        self.symbols = SymbolTable()
        self.flow = ControlFlow()
        self.inlining = InlineStack()
        self.origins = OriginTable(unit.source)
        self.env: Environment = {}
        self.nodes: list[Node] = []

    def assume(self, sentence: str) -> None:
        """Records an assumption; marks of unfinished names are removed."""
        self.function.assumptions[sentence.replace("@", "")] = None

    # -- variables -------------------------------------------------------------------------------

    def bind(self, key: int, binding: Binding) -> None:
        """Sets the variable's value from here on."""
        self.env[key] = binding

    def switch_environment(self, env: Environment) -> Environment:
        """Continues with another environment and returns the present one."""
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
        read = CarriedRead if carried else ScalarRead
        return self.emit(read(type=type_, name=name))

    def write_scalar(self, name: str, key: int, type_: str, value: int) -> None:
        """Gives a scalar a value."""
        self.emit(Assignment(type=type_, args=(value,), name=name))
        self.flow.define(key)

    def note_definition(
        self, name: str, key: int, type_: str, value: Poly | None, cursor: Cursor
    ) -> None:
        """Records that an integer variable is declared or given a closed form at ``cursor``."""
        self.flow.note_definition(name, key, type_, value, self.origins.origin(cursor))

    # -- nodes -----------------------------------------------------------------------------------

    def append(self, *nodes: Node) -> None:
        """Adds nodes after those of the present block."""
        self.nodes += nodes

    def replace_latest(self, node: Node) -> None:
        """Replaces the latest node."""
        self.nodes[-1] = node

    def begin_block(self) -> list[Node]:
        """Saves the present block and begins a new one; ``end_block`` restores it."""
        outer, self.nodes = self.nodes, []
        return outer

    def end_block(self, outer: list[Node]) -> tuple[Node, ...]:
        """The nodes since ``begin_block``, which returned ``outer``."""
        nodes, self.nodes = tuple(self.nodes), outer
        return nodes

    def take_nodes(self, mark: int) -> list[Node]:
        """Removes the nodes after the first ``mark`` from the present block and returns them."""
        taken = self.nodes[mark:]
        del self.nodes[mark:]
        return taken

    # -- the statement being built ---------------------------------------------------------------

    def finish_statement(self, cursor: Cursor) -> None:
        """Appends the statement built since the last one, if it does anything."""
        if self.statement.values:
            self.nodes.append(self.take_statement(self.origins.origin(cursor)))

    # -- calls that functions stand in place of --------------------------------------------------

    def enter_call(self, call: Cursor, callee: Decl, this: Lvalue | None) -> None:
        """Lowering continues in the body of ``callee``; ``this`` is the object of a method."""
        self.inlining.enter(callee, this)
        self.origins.enter_call(call)

    def leave_call(self) -> None:
        """Lowering continues after the call."""
        self.inlining.leave()
        self.origins.leave_call()

    def give_result(self, result: Operand | None, cursor: Cursor) -> None:
        """The value an inlined function gives back: by way of a scalar when it is computed."""
        if not isinstance(result, int):
            self.inlining.give(result)
            return
        name = f"{self.inlining.callees[-1].name}()"
        type_ = self.statement.values[result].type
        self.emit(Assignment(type=type_, args=(result,), name=name))
        self.finish_statement(cursor)
        self.inlining.give(Result(name, type_))
