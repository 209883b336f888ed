"""What is known while one function is lowered: variables, names, the statement being built.

``env`` maps a declaration to what it holds now: an integer in closed form (Poly), a pointer into an
array (Pointer), or the place a reference stands for (Place). It is copied at branches and merged
behind them. Everything else only grows.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

from rooflint.frontend.lower.state.shared import Decl, Shared
from rooflint.frontend.lower.state.statement_builder import StatementBuilder
from rooflint.frontend.lower.state.types import CType
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import Cursor
from rooflint.frontend.parse.tree import Tree
from rooflint.ir import (
    ZERO,
    Array,
    Assignment,
    CarriedRead,
    Node,
    Poly,
    Reason,
    ScalarRead,
    Span,
    Unknown,
)
from rooflint.ir.nodes import Provenance, Storage

POINTER: Final = Provenance()
"""Of memory that is reached through a pointer, and of which no more is known."""


class Pointer(NamedTuple):
    """A pointer into ``array``, ``offset`` bytes from its start, to elements of ``target``.

    ``extents`` are those of a variable-length ``target``, outermost first. ``subscripts`` is None
    once the pointer has moved in a way that subscripts do not show. ``path`` names the member of
    the element that is pointed to (``.z``), empty for the element itself.
    """

    array: str
    offset: Poly
    target: CType
    subscripts: tuple[Poly, ...] | None = ()
    extents: tuple[Poly, ...] = ()
    path: str = ""


class Place(NamedTuple):
    """Where a value lives: in ``array`` at ``offset``, or, with no array, in scalar ``name``.

    ``path`` names the member of the array's element: ``.z.n``.
    """

    ctype: CType
    array: str = ""
    offset: Poly = ZERO
    subscripts: tuple[Poly, ...] | None = ()
    name: str = ""
    key: int = 0
    extents: tuple[Poly, ...] = ()
    path: str = ""


Operand: TypeAlias = Poly | Pointer | int
"""A closed-form integer, a pointer, or the number of a value in the statement being built."""


class Result(NamedTuple):
    """The scalar that holds what an inlined function returned."""

    name: str
    type: str


class LoopScope:
    """A loop being lowered: what its body changes, and how control leaves it.

    ``counters`` count loops inside it. ``unsaid``: members that it changes in a function it calls.
    """

    def __init__(self, modified: frozenset[int], outer: "LoopScope | None") -> None:
        self.modified = modified
        self.outer = outer
        self.defined: set[int] = set()
        self.exits: dict[str, None] = {}
        self.continues: list[dict[int, Poly | Pointer | Place]] = []
        self.counters: set[int] = set()
        self.unsaid: dict[int, str] = {}


class Context(StatementBuilder):
    """The lowering of one function."""

    def __init__(self, unit: Shared) -> None:
        super().__init__()
        self.unit = unit
        self.clang = unit.clang
        self._extent = unit.source.extent
        self._latest: Cursor | None = None
        self.env: dict[int, Poly | Pointer | Place] = {}
        self.nodes: list[Node] = []
        self.spans: list[tuple[int, int]] = []
        self.arrays: dict[str, Array] = {}
        self.cells: dict[str, Array] = {}
        self.assumptions: dict[str, None] = {}
        self.sizes: set[str] = set()
        self.set_by_call: set[str] = set()
        self.active: list[str] = []
        self.loop: LoopScope | None = None
        self.loops_seen: set[int] = set()
        self.scope: list[str] = []
        self.labels: set[str] = set()
        self.goto_loops: list[int] = []
        self.this: Place | None = None
        self.lambdas: list[Tree] = []
        self.switches = 0
        self.switches_outside = 0
        self.root = 0
        self.tree: Tree | None = None
        self.returns = ""
        self.inlining: list[Decl] = []
        self.calls: list[tuple[int, int]] = []
        self.results: list[Operand | Result | None] = []
        self.evaluated: dict[str, float] = {}
        self.unknown_scalars: dict[Unknown, tuple[str, int]] = {}
        self.stated: dict[int, Poly] = {}
        self.named: dict[tuple[str, int], Decl] = {}
        self._names: dict[str, int] = {}
        self._indices: set[str] = set()
        self._members: dict[str, int] = {}
        self._texts: dict[str, int] = {}
        self.fields: dict[tuple[str, int, int], Place] = {}
        self.member_fields: dict[int, int] = {}
        self.variable_types: dict[int, tuple[Poly, ...]] = {}

    # -- names -----------------------------------------------------------------------------------

    def name(self, decl: Decl) -> str:
        """The declaration's name, distinct from every other declaration's in this function."""
        name = decl.name or "unnamed"
        if self._names.setdefault(name, decl.key) != decl.key:
            number = 2
            while self._names.setdefault(f"{decl.name}'{number}", decl.key) != decl.key:
                number += 1
            name = f"{decl.name}'{number}"
        self.named[name, decl.key] = decl
        return name

    def variable_named(self, name: str) -> Decl | None:
        """The variable that has the name at present."""
        return self.unit.known(self._names.get(name, 0))

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
            self.emit(Assignment(type=type_, args=(result,), name=name))
            self.finish_statement(cursor)
            self.results.append(Result(name, type_))
        else:
            self.results.append(result)

    def member_key(self, name: str, field: Decl) -> int:
        """A key for a member of a record that does not move: a variable of its own.

        ``Shared.modified`` knows it by the key of its declaration ``field``.
        """
        closed = field.ctype.is_integer or field.ctype.shape == "pointer"
        scope = self.loop if closed and name not in self._members else None
        while scope is not None:
            if field.key in scope.modified:
                scope.unsaid[-1 - len(self._members)] = name
            scope = scope.outer
        key = self._members.setdefault(name, -1 - len(self._members))
        self.member_fields[key] = field.key
        return key

    def unsaid_member(self, key: int) -> bool:
        """Whether a loop around changes a member that nothing had named before it began."""
        scope = self.loop
        while scope is not None:
            if key in scope.unsaid:
                return True
            scope = scope.outer
        return False

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

    def unknown(self, text: str, reason: Reason, depends: Iterable[str] | None = None) -> Poly:
        """A value without closed form; a size parameter when no loop around changes it."""
        depends = self.active if depends is None else depends
        text = text.replace("@", "")
        varies = tuple(sorted(name for name in set(depends) if name in self.active))
        if not varies:
            return self.size(text)
        return Poly.symbol(Unknown(text, reason, varies))

    def distinct(self, text: str) -> str:
        """``text``, or the first of ``text'2``, ``text'3`` ... that nothing has been called yet."""
        number = self._texts[text] = self._texts.get(text, 0) + 1
        return text if number == 1 else f"{text}'{number}"

    def assume(self, sentence: str) -> None:
        """Records what is taken for granted; marks of unfinished names are left out."""
        self.assumptions[sentence.replace("@", "")] = None

    # -- places ----------------------------------------------------------------------------------

    def origin(self, cursor: Cursor) -> int:
        """A new number for a node made from this cursor.

        A node of another file, from a function inlined here, gets the place of the call.
        """
        # a call and the statement around it are often one cursor
        span = self.spans[-1] if cursor is self._latest else self._extent(cursor)
        if span[0] < 0 and self.calls:
            span = self.calls[-1]
        self._latest = cursor
        self.spans.append(span)
        return len(self.spans) - 1

    def enter_call(self, cursor: Cursor) -> None:
        """Notes where the function inlined from here on is called, seen from this file."""
        span = self._extent(cursor)
        self.calls.append(self.calls[-1] if span[0] < 0 and self.calls else span)

    def see_loop(self, cursor: Cursor, origin: int = -1) -> str:
        """Counts a loop of the file's own text; of another file's, inlined here, tells the place.

        Empty for the file's own, ``kernels.hpp:12`` for one of another.
        """
        known = origin >= 0 and not self.calls
        begin = (self.spans[origin] if known else self._extent(cursor))[0]
        if begin >= 0:
            self.loops_seen.add(begin)
            return ""
        return self.unit.source.other_place(cursor)

    def span_table(self) -> tuple[Span, ...]:
        """The places of all origins so far."""
        return self.unit.source.spans(self.spans)

    # -- the statement being built ---------------------------------------------------------------

    def finish_statement(self, cursor: Cursor) -> None:
        """Appends the statement built since the last one, if it does anything."""
        if self.values:
            self.nodes.append(self.take_statement(self.origin(cursor)))

    def note_scalar(self, poly: Poly, name: str, key: int) -> None:
        """Remembers that an unknown closed form is what the scalar ``name`` holds."""
        for unknown in poly.unknowns():
            self.unknown_scalars.setdefault(unknown, (name, key))

    def read_scalar(self, name: str, key: int, type_: str) -> int:
        """The value of a scalar: carried from the last iteration, or known in this one."""
        loop = self.loop
        carried = loop is not None and key not in loop.defined and self.changes(key)
        read = CarriedRead if carried else ScalarRead
        return self.emit(read(type=type_, name=name))

    def write_scalar(self, name: str, key: int, type_: str, value: int) -> None:
        """Gives a scalar a value."""
        self.emit(Assignment(type=type_, args=(value,), name=name))
        if self.loop is not None:
            self.loop.defined.add(key)

    def base(
        self,
        name: str,
        ctype: CType,
        storage: Storage,
        extents: tuple[Poly | None, ...],
        provenance: Provenance = POINTER,
    ) -> str:
        """Registers an array under ``name`` once and returns the name."""
        if name not in self.arrays:
            element, held = ctype, provenance
            while element.shape in ("array", "pointer") and element.element is not None:
                element = element.element
            self.arrays[name] = Array(
                name, element.ir or "opaque", element.bytes, extents, storage,
                ctype.restrict, element.const,
                provenance=held._replace(any_type=element.any_type, volatile=element.volatile),
            )  # fmt: skip
        return name
