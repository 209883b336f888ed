"""Records of a core plan: one way to run a loop, with the cycles of each limit.

Executions of an inner loop overlap: a chain that begins anew with each of them, as a sum that is
set to 0 before the loop does, holds up its own execution only. Instructions retire in order, so
the next execution starts when its first instruction finds room in the reorder buffer. With chains
of ``L`` cycles and a buffer that reaches over ``k + f`` executions, ``k`` whole ones and the part
``f`` of one, execution ``j + 1`` starts

* ``(1 - f) L`` after execution ``j - k`` does, as far as that one has to come to make the room, and
* not before execution ``j - k - 1`` has ended and retired.

``k + 1`` starts take the first, ``k + 2`` the second, hence ``remaining_share``.
"""

from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeAlias

from rooflint.core.compiler import Compiler
from rooflint.core.issue.micro_ops import ADDRESS, TAKEN, MicroOp, SchedulerUse, port_work
from rooflint.core.issue.ports import level_load
from rooflint.facts import Space
from rooflint.ir import Poly, Reason
from rooflint.machine import CoreModel, Machine
from rooflint.records import NamedTuple

CoreBound: TypeAlias = Literal[
    "loads", "latency", "schedulers", "calls", "issue", "branches", "ports"
]
PassKind: TypeAlias = Literal[
    "outer-vectorization", "unswitching", "library-call", "complete-unrolling"
]
_LIMITS: Final[Mapping[CoreBound, str]] = {
    "loads": "load ports",
    "latency": "latency of the loop-carried path",
    "schedulers": "entries of the schedulers, held by instructions that wait",
    "calls": "library calls",
    "issue": "issue width",
    "branches": "one taken branch per cycle",
}


CheckFailure: TypeAlias = Literal["overlap", "step"]
FAILING: Final[Mapping[CheckFailure, str]] = {
    "overlap": "the checks before the vector code fail: the loop stores what it loads",
    "step": "the vector code is for elements side by side, and the step is another",
}


class LoopPass(NamedTuple):
    """A pass over a loop; ``subject`` is the loop, the function or the number that it is about."""

    kind: PassKind
    subject: str


class VectorPlan(NamedTuple):
    """``width`` iterations at once, ``unroll`` such bodies between two branches.

    reason    why the loop is not vectorised; None where it is
    checks    address ranges compared at run time before the vector code is entered
    library   the function that the compiler calls instead; the plan stands for its code
    outer     the index of the loop around, if the vector covers iterations of that one
    """

    width: int
    unroll: int
    register_bytes: int | None
    reason: Reason | None = None
    checks: int = 0
    library: str | None = None
    outer: str = ""

    @property
    def lanes(self) -> int:
        """Executions of the loop side by side."""
        return self.width if self.outer else 1


class RowSpace(NamedTuple):
    """Loops at numeric sizes, in lines of ``line_bytes``."""

    space: Space
    values: Mapping[str, int]
    line_bytes: int


class Code(NamedTuple):
    """One way to run the loop; cycles are per iteration of the source's loop.

    overlapping_cy      the busiest ports, work of the non-overlapping classes left out
    non_overlapping_cy  the ports of the non-overlapping classes (loads), by themselves
    issue_cy            micro-operations over the issue width
    recurrence_cy       the longest loop-carried path
    call_cy             in library functions
    ends_cy             at the ends of rows, between their vectors and what is left
    waiting             what instructions that wait for operands make of the schedulers
    busiest             the ports that bound ``overlapping_cy``
    """

    vector: VectorPlan
    operations: tuple[MicroOp, ...]
    overlapping_cy: float
    non_overlapping_cy: float
    issue_cy: float
    recurrence_cy: float
    call_cy: float
    critical_path_cy: float
    busiest: frozenset[str]
    ends_cy: float = 0.0
    waiting: SchedulerUse = SchedulerUse()

    @property
    def ports(self) -> dict[str, float]:
        """How busy each port is, the load levelled as far as can be."""
        busy = level_load(port_work(self.operations))
        return {port: cycles / self.vector.width for port, cycles in busy.items()}

    @property
    def micro_ops(self) -> float:
        """Micro-operations of an iteration."""
        return sum([op.times * op.uops for op in self.operations]) / self.vector.width

    @property
    def t_ol_cy(self) -> float:
        """Cycles that overlap with transfers: ports, issue and latency, whichever is most."""
        busy = max(self.overlapping_cy, self.issue_cy) + self.call_cy + self.ends_cy
        return max(busy, self.recurrence_cy, self.waiting.least_cy)

    @property
    def t_core_cy(self) -> float:
        """Cycles with all data in the nearest level."""
        return max(self.t_ol_cy, self.non_overlapping_cy)

    @property
    def bound(self) -> CoreBound:
        """The limit with the most cycles."""
        if self.non_overlapping_cy >= self.t_ol_cy * (1 + 1e-9):
            return "loads"
        if self.recurrence_cy >= self.t_ol_cy * (1 - 1e-9) and self.recurrence_cy > 0:
            return "latency"
        if self.waiting.least_cy >= self.t_ol_cy * (1 - 1e-9) and self.waiting.least_cy > 0:
            return "schedulers"
        if self.call_cy > max(self.overlapping_cy, self.issue_cy):
            return "calls"
        if self.issue_cy > self.overlapping_cy:
            return "issue"
        return "branches" if TAKEN in self.busiest else "ports"

    @property
    def limit(self) -> str:
        """The name of the limit with the most cycles."""
        if self.bound != "ports":
            return _LIMITS[self.bound]
        ports = sorted(port.removesuffix(ADDRESS) for port in self.busiest)
        units = "address port" if all(p.endswith(ADDRESS) for p in self.busiest) else "port"
        return f"{units}{'s' if len(ports) > 1 else ''} {', '.join(ports)}"


class CorePlan(NamedTuple):
    """``code`` is what runs; ``scalar`` the same loop without vectors (short trips, remainders).

    ``passes`` are those of the compiler that change which loops there are; ``failure``: why the
    comparisons before the vector code find each time that it may not run; ``unit_steps`` are 1
    where the vector code runs.
    """

    code: Code
    scalar: Code
    compiler: Compiler
    passes: tuple[LoopPass, ...]
    assumptions: tuple[str, ...]
    failure: CheckFailure | None = None
    unit_steps: tuple[Poly, ...] = ()

    def at(self, values: Mapping[str, int]) -> "CorePlan":
        """The plan for loops of these sizes."""
        vectors = self.failure is None and self.code.vector.width > 1
        if vectors and any(_is_other(step, values) for step in self.unit_steps):
            return self._replace(failure="step")
        return self

    def fills(self, trips: float) -> bool:
        """Whether ``trips`` iterations of the loop (0: unknown) reach the vector code: LLVM's runs
        all vectors in flight or none (``emitIterationCountCheck``)."""
        vector = self.code.vector
        if self.failure is not None:
            return False
        return bool(vector.outer) or not 0 < trips < vector.width * self.bodies_together

    @property
    def bodies_together(self) -> int:
        """Vectors that run together or not at all."""
        return self.code.vector.unroll if self.compiler.traits.interleaves else 1

    def code_for(self, trips: float) -> tuple[Code, tuple[str, ...]]:
        """The code for loops of ``trips`` iterations (0: unknown) and its assumptions."""
        if self.failure is not None:
            return self.scalar, (*self.assumptions, FAILING[self.failure])
        if self.code.vector.width > 1 and not self.fills(trips):
            few = f"{trips:g} iterations are too few for the vector code"
            return self.scalar, (*self.assumptions, few)
        return self.code, self.assumptions


def _is_other(step: Poly, values: Mapping[str, int]) -> bool:
    """Whether a step is known and not 1."""
    return step.names() <= values.keys() and step.evaluate(values) != 1


def clock_of(machine: Machine, code: Code | None) -> float:
    """The clock in GHz while the code runs."""
    if code is not None and code.vector.width > 1 and machine.simd_clock_ghz:
        return machine.simd_clock_ghz
    return machine.clock_ghz


class BetweenExecutions(NamedTuple):
    """Instructions between two executions of a loop: micro-operations, and the share of the entries
    of schedulers that those hold which wait for the loop's result."""

    micro_ops: float = 0.0
    held: float = 0.0


NOTHING: Final = BetweenExecutions()


def reach(
    code: Code, core: CoreModel, trips: float, between: BetweenExecutions = NOTHING
) -> float | None:
    """Executions of ``trips`` iterations that the reorder buffer holds at once, or the schedulers
    with what waits for the chain; ``between``: two of them.

    None for a core that states no reorder buffer. Rows of sums in order overlap by 55 to 60
    iterations with one addition each, and by 25 to 30 with another instruction in the chain or a
    store of its value, on a Zen 4 with 64 entries, whatever their length from 50 to 400.
    """
    micro_ops = code.micro_ops
    if not core.buffers.rob or not micro_ops or trips <= 0:
        return None
    executions = core.buffers.rob / (micro_ops * trips + between.micro_ops)
    own = code.waiting.held * trips
    if own:
        # where both do not fit, the next execution has what the waiting ones leave
        free = max(0.0, 1 - between.held)
        executions = min(executions, 1 / (own + between.held), free / own)
    return executions


def remaining_share(executions: float) -> float:
    """The share of its chain's time that an execution takes where so many are held at once."""
    whole = int(executions)
    return max(1 / (whole + 2), (1 - (executions - whole)) / (whole + 1))


def chain_share(
    code: Code, core: CoreModel, space: Space, between: BetweenExecutions = NOTHING
) -> float | None:
    """The share of its chain's time that an execution takes, on the average over all of them.

    The first waits for its whole chain. None for a core that states no reorder buffer.
    """
    trips = space.trips[-1]
    if space.executions <= trips:
        return 1.0
    found = reach(code, core, trips, between)
    if found is None:
        return None
    first = trips / space.executions
    return first + (1 - first) * remaining_share(found)


def overlapped_chain_cy(
    code: Code, core: CoreModel, space: Space, lengths: Iterable[int], between: BetweenExecutions
) -> float | None:
    """Cycles of an iteration for its chain in the mean over executions of these lengths.

    Short ones wait for their other instructions and long ones for their chains: where they differ,
    what counts in each of them is the longer of both. None for a core that states no reorder
    buffer.
    """
    busy = code._replace(recurrence_cy=0.0).t_core_cy
    total = iterations = 0.0
    waits = False
    for length in lengths:
        trips = (*space.trips[:-1], float(length))
        row = space._replace(trips=trips)
        share = chain_share(code, core, row, between) if length else 0.0
        if share is None:
            return None
        waits = waits or code.recurrence_cy * share > busy
        total += length * max(busy, code.recurrence_cy * share)
        iterations += length
    if not waits or not iterations:
        share = chain_share(code, core, space, between)
        return None if share is None else code.recurrence_cy * share
    return total / iterations
