"""The loop-nest IR: a function as an ordered tree of loops, branches, statements and calls.

Nothing here knows libclang, a file or a machine. Source ranges are not part of the IR: a node
carries only ``origin``, its number in the function's table of spans (``unit.SourceFunction``), and
``origin`` takes no part in equality, so moving lines changes no value here.
"""

from collections.abc import Iterator
from typing import ClassVar, Final, Literal, TypeAlias

from msgspec import Struct

from rooflint.ir.control_flow import BranchPattern, ControlFlowGraph
from rooflint.ir.located import BodyNode, LocatedNode
from rooflint.ir.poly import ONE, Poly, function
from rooflint.ir.reasons import Reason
from rooflint.ir.values import Value
from rooflint.records import NamedTuple

Storage: TypeAlias = Literal["parameter", "local", "global", "heap", "member", "unknown"]
ExecutionTarget: TypeAlias = Literal["host", "device", "kernel"]
"""Where a function runs: on the host (also those made for both), on a device alone, or on a device
where the host launches it (CUDA's and HIP's ``__global__``)."""
Reach: TypeAlias = Literal["local", "static", "argument", "pointer"]

BYTES = {
    "bool": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8,
    "i128": 16, "u128": 16, "f16": 2, "bf16": 2, "f32": 4, "f64": 8, "f80": 16, "f128": 16,
    "c64": 8, "c128": 16, "c160": 32, "ptr": 8,
}  # fmt: skip
"""Bytes of an element type in memory (LP64). Vector types are written ``f64x4``."""


class Access(NamedTuple):
    """One reference to an array element.

    ``offset`` is in bytes from the start of ``array``; ``subscripts`` are those of the source
    (outermost first), empty for a pointer walk. ``bytes`` is the element's size. ``bits``: of a
    bit field, which shares its bytes with others; 0 for whole elements.
    """

    array: str
    offset: Poly
    type: str
    bytes: int
    write: bool
    subscripts: tuple[Poly, ...] = ()
    bits: int = 0


class Provenance(NamedTuple):
    """The origin of an array's memory, which decides which other arrays it may overlap.

    reach     ``local`` (an object that this call of the function creates: variable, allocation),
              ``static`` (an object of the program), ``argument`` (the initial target of a pointer
              or reference argument), or ``pointer`` (any other pointer)
    exposed   pointers to it may exist besides those that the IR knows by its name
    within    the array that it is a member of, from byte ``at`` on; empty for a separate array
    any_type  accesses may touch objects of any type (``__attribute__((may_alias))``)
    volatile  accesses are observable, each at its position in program order
    """

    reach: Reach = "pointer"
    exposed: bool = True
    within: str = ""
    at: int = 0
    any_type: bool = False
    volatile: bool = False


class Aliasing(NamedTuple):
    """The rules of language and flags for accesses of different types to one object.

    strict    they are undefined (C17 6.5 paragraph 7), and the compiler uses that
    retyping  nevertheless, a store may give allocated memory another type than the one it was read
              with before (paragraph 6): for reads and later stores, types prove nothing in C
    """

    strict: bool = True
    retyping: bool = True


DEFAULT_ALIASING: Final = Aliasing()
"""Of C with a compiler that optimises."""


class Array(NamedTuple):
    """A base object that accesses refer to. ``extents`` outermost first, None where open."""

    name: str
    type: str
    element_bytes: int
    extents: tuple[Poly | None, ...]
    storage: Storage
    restrict: bool = False
    readonly: bool = False
    assumption: str = ""
    provenance: Provenance = Provenance()


class PointerAccess(NamedTuple):
    """A pointer in memory that a loop's body reads in each iteration, or stores.

    holder   the array or cell that it lies in
    pointee  the type that it points to, by which the types of pointers differ: an element type of
             the IR, ``ptr``, ``void``, or the name of a record
    target   the array that a pointer which is read leads to; empty for a store
    """

    holder: str
    pointee: str
    target: str = ""


class Parameter(NamedTuple):
    """A function's parameter: its name and its type as the IR names types."""

    name: str
    type: str


class Clause(NamedTuple):
    """One clause of an OpenMP directive: ``schedule(static, 4)`` is ("schedule", "static, 4")."""

    name: str
    value: str = ""

    @property
    def modifier(self) -> str:
        """The text before the list: ``+`` of ``+: s``, ``to`` of ``always, to: a[0:n]``."""
        head, colon, _ = self.value.partition(":")
        return head.rpartition(",")[2].strip() if colon and "[" not in head else ""

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of the list, without modifiers and the sections of arrays."""
        head, colon, listed = self.value.partition(":")
        text = listed if colon and "[" not in head else self.value
        depth, names = 0, ""
        for character in text:
            depth += (character == "[") - (character == "]")
            names += "" if depth or character == "]" else character
        return tuple([name.strip() for name in names.split(",") if name.strip()])


class Statement(LocatedNode, frozen=True, array_like=True, tag=True):
    """Straight-line code: a value DAG in program order."""

    values: tuple[Value, ...]
    accesses: tuple[Access, ...] = ()
    origin: int = -1


class Induction(NamedTuple):
    """A variable that a loop changes in each iteration; ``known``: its value is then known."""

    name: str
    known: bool = True

    def __str__(self) -> str:
        return self.name if self.known else f"?{self.name}"


class Definition(LocatedNode, frozen=True, array_like=True):
    """An integer variable or a pointer is given what no statement computes, or is declared.

    Whoever reads the variable has its closed form, so that no statement needs the assignment. It
    lies beside the body that executes it, where it is no work and does not part a nest.

    value        what the integer then holds; None where a declaration leaves it open or a statement
                 computes it, and for a pointer, which ``type`` calls ``ptr``
    own          the body declares the variable: no iteration leaves it to the next, or to the code
                 behind the loop
    condition    on what it depends whether an iteration makes the assignment: ``none``, a
                 ``branch`` or an exit of the body, or one that no node evaluates: ``unstated``
    """

    variable: str
    type: str
    value: Poly | None
    own: bool = False
    condition: Literal["none", "branch", "unstated"] = "none"
    origin: int = -1

    @property
    def closed_form(self) -> Poly | None:
        """The value over indices and sizes alone; None where there is none."""
        return None if self.value is None or self.value.unknowns() else self.value

    @property
    def reason(self) -> Reason | None:
        """The first reason why the value has no closed form."""
        unknowns = () if self.value is None else self.value.unknowns()
        return unknowns[0].reason if unknowns else None


UNCOUNTED: Final = "its condition"
"""Among the exits of a loop: how often it runs is known when it ends, and not before."""
SKIPS: Final = frozenset(("continue", "jump"))
"""Exits that skip the rest of an iteration, or a part of it, and leave no loop."""
NO_RETURN: Final = "a call that never returns"
"""Among the exits of a loop: code behind the loop runs as if it had none."""


LoopForm: TypeAlias = Literal["for", "while", "do", "range-for", "lambda", "algorithm", "inlined"]


class Header(NamedTuple):
    """How the source writes a loop's counting; it takes no part in the equality of loops.

    index_type      of the variable that counts the loop; empty if there is none
    sets_index      the header gives that variable its first value
    declares_index  the header declares it
    keeps_index     the loop's index has the values of that variable: it does not count iterations
    """

    index_type: str = ""
    sets_index: bool = False
    declares_index: bool = False
    keeps_index: bool = False


DEFAULT_HEADER: Final = Header()


class Loop(BodyNode, frozen=True, array_like=True, tag=True):
    """``for (index = lower; index before upper; index += step)``; ``upper`` is exclusive.

    ``step`` is negative for a loop that counts down. ``exits`` lists the statements that can
    leave the loop early or skip the rest of an iteration (``break``, ``return``, ``goto``,
    ``continue``), ``jump`` for a ``goto`` within an iteration, which is a branch, NO_RETURN, or
    UNCOUNTED. ``extra_inductions`` are variables besides its index and those of inner loops that
    the source changes in each iteration, although all uses have closed forms. ``form`` is
    ``inlined`` for a loop of another file, with the place of the call.
    ``definitions`` are those of an iteration in program order, without those that count the index
    and those of inner loops. ``condition_reads``: the scalars that the condition reads anew before
    each iteration, by name, without variables that the loop changes. Of those that the bounds
    mention, the others were read before the loop. ``pointers``: those in memory that the body reads
    or stores. ``wrapping``: arrays that it accesses at sums of unsigned variables of 32 bits, which
    wrap where no bound says otherwise.
    """

    beside: ClassVar[int] = 2

    index: str
    lower: Poly
    upper: Poly
    step: Poly
    body: tuple["Node", ...]
    form: LoopForm = "for"
    pragmas: tuple[str, ...] = ()
    exits: tuple[str, ...] = ()
    extra_inductions: tuple[Induction, ...] = ()
    definitions: tuple[Definition, ...] = ()
    condition_reads: tuple[str, ...] = ()
    pointers: tuple[PointerAccess, ...] = ()
    wrapping: tuple[str, ...] = ()
    header: Header = DEFAULT_HEADER
    origin: int = -1

    @property
    def trip_count(self) -> Poly:
        """Iterations of one execution, ``ceil((upper - lower) / step)``; may be below zero."""
        span, step = self.upper - self.lower, self.step
        size = step.value
        if size is not None and size < 0:
            span, step, size = -span, -step, -size
        return span if size == 1 else function("floordiv", span + step - ONE, step)


class Branch(BodyNode, frozen=True, array_like=True, tag=True):
    """``if``/``else``, or one arm of a ``switch``; the condition is evaluated first.

    ``exit_paths``: whether ``then`` and ``orelse`` only lead out of the innermost loop, so that
    each runs at most once before the loop is left. ``pattern``: where it decides on loops or calls.
    """

    condition: Statement
    then: tuple["Node", ...]
    orelse: tuple["Node", ...] = ()
    exit_paths: tuple[bool, bool] = (False, False)
    pattern: BranchPattern | None = None
    origin: int = -1


class CallCost(NamedTuple):
    """Core cycles of one call on a core of today, arguments of usual length in the nearest cache.

    complete    nothing that the callee does in an ordinary run is left out; else they are a lower
                bound
    candidates  the functions that the call may run, by name, where there are several: the cycles
                are their mean where complete, else those of the cheapest
    recursive   functions below that call themselves, by name: their depth is taken for a usual one
    shared      the part of the cycles in loops whose iterations a team of OpenMP shares, which a
                call from serial code runs on several cores
    """

    cycles: float
    complete: bool = True
    candidates: tuple[str, ...] = ()
    recursive: tuple[str, ...] = ()
    shared: float = 0.0


class Call(LocatedNode, frozen=True, array_like=True, tag=True):
    """A call whose body is not inlined. ``arrays`` and ``integers`` are those passed to it.

    ``integers``: without literals, and without those that a statement computes.
    ``effects``: ``none`` (declared to have none), ``no-return`` (it ends the loops around, since it
    never returns), or ``unknown``. ``cost``: by the function's body, or of the library; None where
    neither is at hand. ``target``: whom it calls, as the equations of all files name it; empty
    outside of loops.
    """

    beside: ClassVar[int] = 2

    name: str
    arrays: tuple[str, ...] = ()
    effects: Literal["none", "no-return", "unknown"] = "unknown"
    integers: tuple[Poly, ...] = ()
    cost: CallCost | None = None
    target: str = ""
    origin: int = -1


class Region(BodyNode, frozen=True, array_like=True, tag=True):
    """An OpenMP directive and the code it governs; ``kind`` as written: ``parallel for``."""

    kind: str
    clauses: tuple[Clause, ...]
    body: tuple["Node", ...]
    origin: int = -1


class Exit(LocatedNode, frozen=True, array_like=True, tag=True):
    """Control leaves here: ``break``, ``continue``, ``return``, ``goto``, ``throw``.

    ``value``: the integer that is returned, where no statement computes it.
    """

    kind: str
    value: Poly | None = None
    origin: int = -1


class Opaque(LocatedNode, frozen=True, array_like=True, tag=True):
    """Source the front end cannot model, with the reason; never silence."""

    reason: Reason
    origin: int = -1


Node: TypeAlias = Loop | Branch | Statement | Call | Region | Exit | Opaque


class Function(Struct, frozen=True, array_like=True, dict=True):
    """One function body. ``body`` has loops and straight code in program order.

    ``assumptions``: the assumptions of the front end, one sentence each. ``cells``: the scalars
    and sizes of the IR that lie in memory, where a store to an array may change them.
    ``definitions`` are those outside of all loops. ``graphs``: the control flow of those bodies
    that jumps or several exits make more than a tree.
    """

    name: str
    parameters: tuple[Parameter, ...]
    arrays: tuple[Array, ...]
    body: tuple[Node, ...]
    assumptions: tuple[str, ...] = ()
    target: ExecutionTarget = "host"
    cells: tuple[Array, ...] = ()
    aliasing: Aliasing = DEFAULT_ALIASING
    definitions: tuple[Definition, ...] = ()
    graphs: tuple[ControlFlowGraph, ...] = ()

    def array(self, name: str) -> Array:
        """The array of that name; KeyError when there is none."""
        for array in self.arrays:
            if array.name == name:
                return array
        raise KeyError(name)


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly inside ``node``, in program order."""
    if isinstance(node, (Loop, Region)):
        return node.body
    if isinstance(node, Branch):
        return (node.condition, *node.then, *node.orelse)
    return ()


def walk(nodes: tuple[Node, ...]) -> Iterator[Node]:
    """All nodes in program order, each before those inside it."""
    for node in nodes:
        yield node
        yield from walk(children(node))
