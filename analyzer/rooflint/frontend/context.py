"""What is known while one function is lowered: variables, names, the statement being built.

``env`` maps a declaration to what it holds now: an integer in closed form (Poly), a pointer into an
array (Pointer), or the place a reference stands for (Place). It is copied at branches and merged
behind them. Everything else only grows.
"""

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from rooflint.frontend import kinds
from rooflint.frontend.clang_c import Clang, Cursor
from rooflint.frontend.source import Source
from rooflint.frontend.tree import Tree, build
from rooflint.frontend.types import CType, Types
from rooflint.ir import ZERO, Access, Array, Node, Poly, Span, Statement, Unknown, Value
from rooflint.ir.nodes import Storage


class Pointer(NamedTuple):
    """A pointer into ``array``, ``offset`` bytes from its start, to elements of ``target``.

    ``extents`` are those of a variable-length ``target``, outermost first. ``subscripts`` is None
    once the pointer has moved in a way that subscripts do not show.
    """

    array: str
    offset: Poly
    target: CType
    subscripts: tuple[Poly, ...] | None = ()
    extents: tuple[Poly, ...] = ()


class Place(NamedTuple):
    """Where a value lives: in ``array`` at ``offset``, or, with no array, in scalar ``name``."""

    ctype: CType
    array: str = ""
    offset: Poly = ZERO
    subscripts: tuple[Poly, ...] | None = ()
    name: str = ""
    key: int = 0
    extents: tuple[Poly, ...] = ()


Operand: TypeAlias = Poly | Pointer | int
"""A closed-form integer, a pointer, or the number of a value in the statement being built."""


class Decl(NamedTuple):
    """A declaration, looked up once a translation unit."""

    key: int
    name: str
    ctype: CType
    kind: int
    cursor: Cursor
    number: int


class Result(NamedTuple):
    """The scalar that holds what an inlined function returned."""

    name: str
    type: str


class Unit:
    """What all functions of a translation unit share."""

    def __init__(self, clang: Clang, source: Source, handle: int, is_c: bool = False) -> None:
        self.clang = clang
        self.source = source
        self.handle = handle
        self.is_c = is_c
        self.types = Types(clang)
        self._referenced = clang.getCursorReferenced
        self._decls: dict[int, Decl] = {}
        self._trees: dict[int, Tree] = {}
        self._modified: dict[int, frozenset[int]] = {}
        self._declared: dict[int, frozenset[int]] = {}
        self.opaque_callees: set[int] = set()
        self.storage: dict[int, Storage] = {}
        self.constants: dict[int, int | None] = {}

    def referenced(self, cursor: Cursor) -> Decl:
        """The declaration a reference names."""
        target: Cursor = self._referenced(cursor)
        return self._decls.get(target.d0) or self.declared(target)

    def known(self, key: int) -> Decl | None:
        """The declaration of that key, if anything has named it yet."""
        return self._decls.get(key)

    def declared(self, cursor: Cursor) -> Decl:
        """The declaration behind its own cursor."""
        known = self._decls.get(cursor.d0)
        if known is None:
            ctype = self.types.of_cursor(cursor) if cursor.d0 else CType("other", "opaque")
            name = self.clang.spelling(cursor) if cursor.d0 else ""
            known = Decl(cursor.d0, name, ctype, cursor.kind, cursor, len(self._decls))
            self._decls[cursor.d0] = known
        return known

    def tree(self, cursor: Cursor) -> Tree:
        """The syntax tree below a declaration, built once."""
        known = self._trees.get(cursor.d0)
        if known is None:
            known = self._trees[cursor.d0] = build(self.clang, cursor)
        return known

    def modified(self, tree: Tree) -> frozenset[int]:
        """Keys of the variables that are assigned, stepped or have their address taken below.

        Variables declared in a loop's body are its own business and not among them; those that
        its header declares are.
        """
        key = tree[1].key
        known = self._modified.get(key)
        if known is None:
            found, inside = self._collect_modified(tree)
            self._declared[key] = frozenset(inside)
            if tree[0] in kinds.LOOPS:
                for part in tree[2][:-1]:
                    for child in (part, *part[2]):
                        if child[0] == kinds.VARIABLE:
                            inside.discard(child[1].d0)
            known = self._modified[key] = frozenset(found - inside)
        return known

    def _collect_modified(self, tree: Tree) -> tuple[set[int], set[int]]:
        """Keys of what is modified and of what is declared below, outside inner loops."""
        found: set[int] = set()
        inside: set[int] = set()
        waiting = [tree[2]]
        modifying, variables = _MODIFYING, _VARIABLES
        while waiting:
            for child in waiting.pop():
                kind, cursor, below = child
                if kind in modifying:
                    if kind == kinds.VARIABLE:
                        inside.add(cursor.d0)
                    elif kind in kinds.LOOPS:
                        found |= self.modified(child) - self._declared[cursor.key]
                        continue
                    elif below and below[0][0] in variables and self._writes(kind, cursor):
                        found.add(self.referenced(below[0][1]).key)
                if below:
                    waiting.append(below)
        return found, inside

    def _writes(self, kind: int, cursor: Cursor) -> bool:
        if kind == kinds.BINARY:
            return bool(self.clang.getCursorBinaryOperatorKind(cursor) == kinds.ASSIGN)
        if kind == kinds.UNARY:
            return bool(self.clang.getCursorUnaryOperatorKind(cursor) <= kinds.ADDRESS)
        return kind == kinds.COMPOUND_ASSIGN


_VARIABLES = (kinds.DECL_REF, kinds.MEMBER_REF)
_MODIFYING = kinds.LOOPS | {kinds.VARIABLE, kinds.BINARY, kinds.UNARY, kinds.COMPOUND_ASSIGN}


Pending: TypeAlias = tuple[list[Value], list[Access], dict[int, Poly]]
"""A statement half built: its values, accesses and closed forms."""


class LoopScope:
    """A loop being lowered: what its body changes, and how control leaves it."""

    def __init__(self, modified: frozenset[int], outer: "LoopScope | None") -> None:
        self.modified = modified
        self.outer = outer
        self.defined: set[int] = set()
        self.exits: dict[str, None] = {}
        self.continues: list[dict[int, Poly | Pointer | Place]] = []


class Context:
    """The lowering of one function."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.clang = unit.clang
        self._extent = unit.source.extent
        self._latest: Cursor | None = None
        self.env: dict[int, Poly | Pointer | Place] = {}
        self.nodes: list[Node] = []
        self.spans: list[tuple[int, int]] = []
        self.arrays: dict[str, Array] = {}
        self.used: set[str] = set()
        self.assumptions: dict[str, None] = {}
        self.sizes: set[str] = set()
        self.active: list[str] = []
        self.loop: LoopScope | None = None
        self.values: list[Value] = []
        self.accesses: list[Access] = []
        self.closed: dict[int, Poly] = {}
        self.loops_seen: set[int] = set()
        self.scope: list[str] = []
        self.labels: set[str] = set()
        self.goto_loops: list[int] = []
        self.this: Place | None = None
        self.lambdas: list[Tree] = []
        self.switches = 0
        self.switches_outside = 0
        self.root = 0
        self.inlining: list[Decl] = []
        self.results: list[Operand | Result | None] = []
        self.unknown_scalars: dict[Unknown, tuple[str, int]] = {}
        self._names: dict[str, int] = {}
        self._indices: set[str] = set()
        self._members: dict[str, int] = {}
        self.member_fields: dict[int, int] = {}

    # -- names -----------------------------------------------------------------------------------

    def name(self, decl: Decl) -> str:
        """The declaration's name, distinct from every other declaration's in this function."""
        name = decl.name or "unnamed"
        if self._names.setdefault(name, decl.key) == decl.key:
            return name
        number = 2
        while self._names.setdefault(f"{decl.name}'{number}", decl.key) != decl.key:
            number += 1
        return f"{decl.name}'{number}"

    def claim(self, decl: Decl) -> str:
        """The name of a variable declared here; free again when its block ends."""
        name = self.name(decl)
        self.scope.append(name)
        return name

    def release(self, mark: int) -> None:
        """Frees the names claimed since ``scope`` was ``mark`` long."""
        for name in self.scope[mark:]:
            self._names.pop(name, None)
        del self.scope[mark:]

    def rank(self, key: int) -> tuple[str, bool, int]:
        """Puts variables in an order that does not depend on the addresses their keys are."""
        decl = self.unit.known(key)
        if decl is None:
            return self.name_of(key), False, -key
        return decl.name, decl.kind == kinds.FIELD, decl.number

    def name_of(self, key: int) -> str:
        """The name given to the variable of that key."""
        for table in (self._names, self._members):
            for name, known in table.items():
                if known == key:
                    return name
        return "a variable"

    def returned(self, result: Operand | None, cursor: Cursor) -> None:
        """The value an inlined function gives back: by way of a scalar when it is computed."""
        if isinstance(result, int):
            name = f"{self.inlining[-1].name}()"
            type_ = self.values[result].type
            self.emit("assign", type_, (result,), name)
            self.finish_statement(cursor)
            self.results.append(Result(name, type_))
        else:
            self.results.append(result)

    def member_key(self, name: str, field: int) -> int:
        """A key for a member of a record that does not move: a variable of its own.

        ``field`` is its declaration, by which ``Unit.modified`` knows it.
        """
        key = self._members.setdefault(name, -1 - len(self._members))
        self.member_fields[key] = field
        return key

    def changes(self, key: int) -> bool:
        """Whether the innermost loop changes this variable."""
        return self.loop is not None and (
            key in self.loop.modified or self.member_fields.get(key, 0) in self.loop.modified
        )

    def fresh(self, name: str) -> str:
        """A symbol for a variable that changes in a loop: not a size, not an enclosing index."""
        chosen, number = name, 1
        while chosen in self.sizes or chosen in self.active:
            number += 1
            chosen = f"{name}'{number}"
        self._indices.add(chosen)
        return chosen

    def size(self, name: str) -> Poly:
        """The size parameter ``name``; never one of the names that loops of this function use."""
        chosen, number = name, 1
        while chosen in self._indices:
            number += 1
            chosen = f"{name}'{number}"
        self.sizes.add(chosen)
        return Poly.symbol(chosen)

    def unknown(self, text: str, reason: str, depends: Iterable[str] | None = None) -> Poly:
        """A value without closed form; a size parameter when no loop around changes it."""
        depends = self.active if depends is None else depends
        text = text.replace("@", "")
        varies = tuple(sorted(name for name in set(depends) if name in self.active))
        if not varies:
            return self.size(text)
        return Poly.symbol(Unknown(text, reason, varies))

    def assume(self, sentence: str) -> None:
        """Records what is taken for granted; marks of unfinished names are left out."""
        self.assumptions[sentence.replace("@", "")] = None

    # -- places ----------------------------------------------------------------------------------

    def origin(self, cursor: Cursor) -> int:
        """A new number for a node made from this cursor."""
        # a call and the statement around it are often one cursor
        span = self.spans[-1] if cursor is self._latest else self._extent(cursor)
        self._latest = cursor
        self.spans.append(span)
        return len(self.spans) - 1

    def see_loop(self, begin: int) -> None:
        """Counts a loop of the file's own text; one of an inlined header function is not."""
        if begin >= 0:
            self.loops_seen.add(begin)

    def span_table(self) -> tuple[Span, ...]:
        """The places of all origins so far."""
        return self.unit.source.spans(self.spans)

    # -- the statement being built ---------------------------------------------------------------

    def emit(
        self, op: str, type_: str, args: tuple[int, ...] = (), name: str = "", access: int = -1
    ) -> int:
        """Adds a value and returns its number."""
        # not Value(...): its constructor is Python code of its own, and this runs for every value
        self.values.append(tuple.__new__(Value, (op, type_, args, name, access)))
        return len(self.values) - 1

    def emit_access(self, op: str, access: Access, args: tuple[int, ...] = ()) -> int:
        """Adds a load or a store."""
        self.accesses.append(access)
        self.used.add(access.array)
        number = len(self.accesses) - 1
        self.values.append(tuple.__new__(Value, (op, access.type, args, "", number)))
        return len(self.values) - 1

    def finish_statement(self, cursor: Cursor) -> None:
        """Appends the statement built since the last one, if it does anything."""
        if self.values:
            self.nodes.append(self.take_statement(self.origin(cursor)))

    def begin_statement(self) -> Pending:
        """Sets the statement being built aside for a new one; ``resume_statement`` takes it up."""
        pending = (self.values, self.accesses, self.closed)
        self.values, self.accesses, self.closed = [], [], {}
        return pending

    def resume_statement(self, pending: Pending) -> None:
        """Goes on with a statement that was set aside."""
        self.values, self.accesses, self.closed = pending

    def take_statement(self, origin: int) -> Statement:
        """The values built so far as a statement; a new one is begun."""
        statement = Statement(tuple(self.values), tuple(self.accesses), origin)
        self.values, self.accesses, self.closed = [], [], {}
        return statement

    def note_scalar(self, poly: Poly, name: str, key: int) -> None:
        """Remembers that an unknown closed form is what the scalar ``name`` holds."""
        for unknown in poly.unknowns():
            self.unknown_scalars.setdefault(unknown, (name, key))

    def read_scalar(self, name: str, key: int, type_: str) -> int:
        """The value of a scalar: carried from the last iteration, or known in this one."""
        loop = self.loop
        carried = loop is not None and key not in loop.defined and self.changes(key)
        return self.emit("carried" if carried else "scalar", type_, name=name)

    def write_scalar(self, name: str, key: int, type_: str, value: int) -> None:
        """Gives a scalar a value."""
        self.emit("assign", type_, (value,), name)
        if self.loop is not None:
            self.loop.defined.add(key)

    def base(
        self, name: str, ctype: CType, storage: Storage, extents: tuple[Poly | None, ...]
    ) -> str:
        """Registers an array under ``name`` once and returns the name."""
        if name not in self.arrays:
            element = ctype
            while element.shape in ("array", "pointer") and element.element is not None:
                element = element.element
            self.arrays[name] = Array(
                name, element.ir or "opaque", element.bytes, extents, storage,
                ctype.restrict, element.const,
            )  # fmt: skip
        return name
