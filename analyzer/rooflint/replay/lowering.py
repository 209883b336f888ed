"""Lowers a function of the IR to an access program, at given sizes and addresses."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from rooflint.facts.work import work_of
from rooflint.ir import (
    Access,
    Branch,
    Call,
    Definition,
    Exit,
    Function,
    Loop,
    Node,
    Opaque,
    Poly,
    Region,
    Statement,
    walk,
)
from rooflint.ir.written import UNKNOWN_MARK
from rooflint.records import NamedTuple
from rooflint.replay.expressions import ExpressionWriter, OpenValueError
from rooflint.replay.program import (
    MOST_REFERENCES,
    AccessProgram,
    ExitKind,
    LeftOut,
    ProgramNode,
    ProgramReference,
    ProgramWriter,
    ReferenceKind,
    RowPadding,
)
from rooflint.replay.progressions import Progression, progressions_of, unplaced_words
from rooflint.replay.repeats import is_repeated

MAX_UNROLLED_TRIPS: Final = 8
MAX_UNROLLED_REFERENCES: Final = 64
"""Loops so short that compilers unroll them belong to the straight code around them."""

MOST_BYTES: Final = 1024
"""Of one access; larger ones copy whole structures."""

_EXITS: Final = {
    "break": ExitKind.BREAK,
    "continue": ExitKind.CONTINUE,
    "return": ExitKind.RETURN,
    "throw": ExitKind.RETURN,
}


class IncompleteProgramError(Exception):
    """An access of a function has no address; ``args``: why, in words."""


def lower_function(
    function: Function,
    layout: Mapping[str, int],
    sizes: Mapping[str, int],
    padding: RowPadding | None = None,
    *,
    completely: bool = False,
    omitted: frozenset[str] = frozenset(),
) -> AccessProgram:
    """The accesses of ``function`` in program order; ``layout``: the byte address of each array.

    What does not move with an innermost loop is kept in a register: loads happen once before it,
    stores once behind it; nor is anything loaded twice in a row of statements without a store. A
    branch that indices and sizes do not decide takes its heavier side.
    ``completely``: raises IncompleteProgramError at the first part that is left out, but for calls.
    Arrays ``omitted`` are not accessed.
    """
    lowering = _Lowering(
        layout, sizes, function.definitions, padding, completely=completely, omitted=omitted
    )
    root = lowering.sequence(function.body, ())
    return AccessProgram(
        code=lowering.writer.code,
        root=root,
        slots=len(lowering.slots),
        references=tuple(lowering.references),
        left_out=tuple(dict.fromkeys(lowering.left_out)),
    )


class _Access(NamedTuple):
    """An access whose address has its array's begin in it."""

    address: Poly
    reference: ProgramReference


class _ProgressionNodes(NamedTuple):
    """Nodes before a loop, and at the begin of each iteration."""

    begin: int
    steps: tuple[int, int]


class _Lowering:
    def __init__(
        self,
        layout: Mapping[str, int],
        sizes: Mapping[str, int],
        definitions: tuple[Definition, ...],
        padding: RowPadding | None,
        *,
        completely: bool,
        omitted: frozenset[str],
    ) -> None:
        self._completely, self._omitted = completely, omitted
        self._definitions = definitions
        self._padding = padding
        self.writer = ProgramWriter()
        self.references: list[ProgramReference] = []
        self.left_out: list[LeftOut] = []
        self.slots: dict[str, int] = {}
        self._layout, self._sizes = layout, sizes
        self._expressions = ExpressionWriter(self.writer, sizes, self.slots)

    def sequence(self, nodes: Iterable[Node], loops: tuple[Loop, ...]) -> int:
        """The nodes in their order."""
        positions: list[int] = []
        straight: list[_Access] = []
        for node in _flat(nodes):
            if isinstance(node, Statement):
                straight += self._kept(node, loops)
                continue
            if isinstance(node, Branch):
                straight += self._kept(node.condition, loops)
            positions += self._straight(straight)
            straight = []
            positions += self._node(node, loops)
        positions += self._straight(straight)
        return self.writer.node(ProgramNode.SEQUENCE, len(positions), *positions)

    def _node(self, node: Node, loops: tuple[Loop, ...]) -> Iterator[int]:
        if isinstance(node, Loop):
            yield from self._loop(node, loops)
        elif isinstance(node, Branch):
            yield self._branch(node, loops)
        elif isinstance(node, Exit) and node.kind in _EXITS:
            yield self.writer.node(ProgramNode.EXIT, _EXITS[node.kind])
        elif isinstance(node, Call):
            self._leave_out(node.arrays, f"the call of {node.name}", is_call=True)
        elif isinstance(node, Opaque):
            self._leave_out((), str(node.reason))

    def _leave_out(self, arrays: tuple[str, ...], reason: str, *, is_call: bool = False) -> None:
        if self._completely and not is_call:
            raise IncompleteProgramError(reason)
        self.left_out.append(LeftOut(arrays, reason, is_call))

    def _kept(self, statement: Statement, loops: tuple[Loop, ...]) -> Iterator[_Access]:
        """The accesses of a statement but for those of arrays that are omitted."""
        for access in self._accesses(statement, loops):
            if access.reference.array not in self._omitted:
                yield access

    def _accesses(self, statement: Statement, loops: tuple[Loop, ...]) -> Iterator[_Access]:
        for value in statement.values:
            if value.op not in ("load", "store"):
                continue
            access = statement.accesses[value.access]
            kind = ReferenceKind.LOAD
            if value.op == "store":
                past = ReferenceKind.NONTEMPORAL if value.nontemporal else ReferenceKind.LOAD
                kind = ReferenceKind.WRITES | past
            begin = self._layout.get(access.array)
            unknowns = {str(each) for each in access.offset.unknowns()} - self.slots.keys()
            if begin is None or unknowns or access.bytes > MOST_BYTES:
                reason = unplaced_words(access.array)
                if access.bytes > MOST_BYTES:
                    reason = f"elements of {access.array} have {access.bytes} bytes"
                self._leave_out((access.array,), reason)
                continue
            yield _Access(
                self._padded(access) + begin,
                ProgramReference(
                    array=access.array,
                    bytes=access.bytes,
                    kind=kind,
                    statement=statement,
                    loops=loops,
                ),
            )

    def _padded(self, access: Access) -> Poly:
        """The offset, with rows that are longer by a padding."""
        padding, offset = self._padding, access.offset
        if padding is None or access.array != padding.array:
            return offset
        names = offset.names()
        sizes = {n: v for n, v in self._sizes.items() if n in names and n not in self.slots}
        terms = offset.substitute({n: Poly.constant(v) for n, v in sizes.items()}).terms
        if any(len(monomial) > 1 for monomial in terms):
            return offset
        return Poly({monomial: padding.moved(factor) for monomial, factor in terms.items()})

    def _straight(self, accesses: list[_Access]) -> Iterator[int]:
        accesses = _without_reloads(accesses)
        for begin in range(0, len(accesses), MOST_REFERENCES):
            parts: list[int] = []
            for access in accesses[begin : begin + MOST_REFERENCES]:
                address = self._address(access)
                if address is not None:
                    parts += (address, self._number(access))
            if parts:
                yield self.writer.node(ProgramNode.ACCESSES, len(parts) // 2, *parts)

    def _address(self, access: _Access) -> int | None:
        try:
            return self._expressions.poly(access.address)
        except OpenValueError as error:
            reason = f"{_shown(error)} has no value"
            self._leave_out((access.reference.array,), reason)
            return None

    def _number(self, access: _Access) -> int:
        self.references.append(access.reference)
        return len(self.references) - 1

    def _branch(self, branch: Branch, loops: tuple[Loop, ...]) -> int:
        condition = self._expressions.condition(branch.condition)
        then, orelse = self.sequence(branch.then, loops), self.sequence(branch.orelse, loops)
        assumed = int(_weight(branch.orelse) > _weight(branch.then))
        return self.writer.node(ProgramNode.BRANCH, condition, then, orelse, assumed)

    def _loop(self, loop: Loop, loops: tuple[Loop, ...]) -> Iterator[int]:
        outer = loops[-1].definitions if loops else self._definitions
        try:
            bounds = [self._expressions.poly(each) for each in (loop.lower, loop.upper, loop.step)]
            changes = [self._progression(each) for each in progressions_of(loop, outer)]
        except OpenValueError as error:
            arrays = tuple(dict.fromkeys(self._arrays(loop)))
            reason = f"the trip count of {loop.index} needs {_shown(error)}"
            self._leave_out(arrays, reason)
            return
        head = (self._slot(loop.index), *bounds)
        inner = (*loops, loop)
        accesses = None if changes else self._walkable(loop, inner)
        if accesses is not None:
            yield from self._innermost(loop, head, accesses)
            return
        yield from [each.begin for each in changes]
        steps = [step for each in changes for step in each.steps]
        yield self._around(head, [*steps, self.sequence(loop.body, inner)])

    def _around(self, head: tuple[int, ...], parts: list[int]) -> int:
        """A loop around other nodes."""
        body = self.writer.node(ProgramNode.SEQUENCE, len(parts), *parts)
        repeated = is_repeated(self.writer.code, body, head[0])
        return self.writer.node(ProgramNode.REPEAT if repeated else ProgramNode.LOOP, *head, body)

    def _innermost(
        self, loop: Loop, head: tuple[int, ...], accesses: list[_Access]
    ) -> Iterator[int]:
        """A walk, with loads before it and stores behind it of what does not move with it."""
        fixed = [each for each in accesses if loop.index not in each.address.names()]
        moving = [each for each in accesses if loop.index in each.address.names()]
        before = list(self._straight([each for each in fixed if not _writes(each)]))
        walked = list(self._walk(head, moving, loop))
        after = list(self._straight([each for each in fixed if _writes(each)]))
        if fixed:
            yield self._once_if_run(head, [*before, *walked, *after])
        else:
            yield from walked

    def _slot(self, name: str) -> int:
        return self.slots.setdefault(name, len(self.slots))

    def _progression(self, progression: Progression) -> _ProgressionNodes:
        slot = self._slot(f"{UNKNOWN_MARK}{progression.name}")
        following = self._slot(f"{UNKNOWN_MARK}{progression.name} of the next iteration")
        first = self._expressions.poly(progression.first)
        step = self._expressions.poly(progression.step)
        value = self.writer.affine(0, [(following, 1)])
        # a ``continue`` in the body must not skip the step, so it comes before the body
        return _ProgressionNodes(
            begin=self.writer.node(ProgramNode.ASSIGN, following, first),
            steps=(
                self.writer.node(ProgramNode.ASSIGN, slot, value),
                self.writer.node(ProgramNode.ASSIGN, following, step),
            ),
        )

    def _once_if_run(self, head: tuple[int, ...], parts: list[int]) -> int:
        """``parts``, unless the loop has no iterations; the first index value is in its slot."""
        body = self.writer.node(ProgramNode.SEQUENCE, len(parts), *parts)
        leave = self.writer.node(ProgramNode.EXIT, ExitKind.BREAK)
        once = self.writer.node(ProgramNode.SEQUENCE, 2, body, leave)
        return self.writer.node(ProgramNode.LOOP, *head, once)

    def _walk(self, head: tuple[int, ...], moving: list[_Access], loop: Loop) -> Iterator[int]:
        parts: list[int] = []
        for access in _without_reloads(moving):
            slope = access.address.coefficient(loop.index)
            address = self._address(access)
            if address is not None and slope is not None:
                stride = self._expressions.poly(slope * loop.step)
                parts += (address, stride, self._number(access))
        if parts:
            yield self.writer.node(ProgramNode.WALK, *head, len(parts) // 3, *parts)

    def _walkable(self, loop: Loop, loops: tuple[Loop, ...]) -> list[_Access] | None:
        """The accesses of a loop over straight code whose addresses are linear in its index."""
        accesses = self._straight_accesses(loop.body, loops)
        if accesses is None or len(accesses) > MOST_REFERENCES:
            return None
        linear = all(each.address.coefficient(loop.index) is not None for each in accesses)
        return accesses if linear else None

    def _straight_accesses(
        self, nodes: Iterable[Node], loops: tuple[Loop, ...]
    ) -> list[_Access] | None:
        """Accesses of straight code, short loops in it unrolled; None for other code."""
        listed = list(_flat(nodes))
        if any(isinstance(node, Branch | Exit) for node in listed):
            return None
        found: list[_Access] = []
        for node in listed:
            if isinstance(node, Statement):
                found += self._kept(node, loops)
            elif isinstance(node, Loop):
                unrolled = self._unrolled(node, loops)
                if unrolled is None:
                    return None
                found += unrolled
            else:
                for _ in self._node(node, loops):
                    pass
        return found

    def _unrolled(self, loop: Loop, loops: tuple[Loop, ...]) -> list[_Access] | None:
        """The accesses of a loop that is short by its constant bounds; None for other loops."""
        lower, upper, step = loop.lower.value, loop.upper.value, loop.step.value
        if lower is None or upper is None or not step:
            return None
        trips = range(lower, upper, step)
        if len(trips) > MAX_UNROLLED_TRIPS:
            return None
        body = self._straight_accesses(loop.body, (*loops, loop))
        if body is None or len(body) * len(trips) > MAX_UNROLLED_REFERENCES:
            return None
        return [
            each._replace(address=each.address.substitute({loop.index: Poly.constant(trip)}))
            for trip in trips
            for each in body
        ]

    def _arrays(self, loop: Loop) -> Iterator[str]:
        for node in walk((loop,)):
            if isinstance(node, Statement):
                yield from [access.array for access in node.accesses]


def _shown(error: OpenValueError) -> str:
    """The name without a value, as the source has it."""
    return str(error.args[0]).removeprefix(UNKNOWN_MARK)


def _without_reloads(accesses: Iterable[_Access]) -> list[_Access]:
    """Without loads of what was loaded before and not stored since: compilers keep it."""
    kept: list[_Access] = []
    loaded: set[tuple[Poly, int]] = set()
    for access in accesses:
        value = (access.address, access.reference.bytes)
        if _writes(access):
            loaded.clear()
        elif value in loaded:
            continue
        else:
            loaded.add(value)
        kept.append(access)
    return kept


def _writes(access: _Access) -> bool:
    return bool(access.reference.kind & ReferenceKind.WRITES)


def _flat(nodes: Iterable[Node]) -> Iterator[Node]:
    """``nodes`` with what directives govern in place of the directives."""
    for node in nodes:
        if isinstance(node, Region):
            yield from _flat(node.body)
        else:
            yield node


def _weight(nodes: tuple[Node, ...]) -> tuple[bool, int, int]:
    """Loops first, then flops, then accesses."""
    inside = tuple(walk(nodes))
    work = work_of(node for node in inside if isinstance(node, Statement))
    loops = any(isinstance(node, Loop) for node in inside)
    return (loops, work.flops, work.loads + work.stores)
