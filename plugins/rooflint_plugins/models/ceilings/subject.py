"""Input of verdicts: a kernel with its code plan, how its data moves, who touched it first."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal

from rooflint.core import LazyPlan
from rooflint.core.issue.ports import Ports, busiest
from rooflint.facts import Kernel, Stream
from rooflint.ir import Call, Clause, Loop, Node, Poly, Region, Statement, walk
from rooflint.plugin_api.hookspecs import Context
from rooflint.records import NamedTuple

if TYPE_CHECKING:
    from rooflint.core.plan import Code, CorePlan

SETTERS = frozenset(("memset", "bzero", "fill", "std::fill", "std::memset"))
FLOPS = ("add", "mul", "fma")
Touch = Literal["serial", "parallel", "unseen"]


class CeilingSubject(NamedTuple):
    """A kernel under judgement.

    plan    how the compiler would run it; None on a machine without ``core``
    metric  what is counted, ``work`` of it per iteration
    scope   cores that the ceilings are drawn for; ``context.cores`` of them run the loop now
    """

    context: Context
    plan: "CorePlan | None"
    metric: str
    work: float
    scope: int

    @property
    def code(self) -> "Code | None":
        """The code that runs."""
        return self.plan.code if self.plan else None

    @property
    def serial(self) -> bool:
        """Whether the loop leaves cores idle that the ceilings count."""
        return self.scope > self.context.cores


class Mix(NamedTuple):
    """Instructions of one pass through the loop body, as planned.

    arithmetic_cy   how long adds, multiplies and fused ones keep the busiest of their ports
    divides_cy      the same of divisions and roots, per iteration
    """

    adds: float
    muls: float
    fused: float
    arithmetic_cy: float
    divides_cy: float
    total: float

    @property
    def arithmetic(self) -> float:
        """Adds, multiplies and fused ones together."""
        return self.adds + self.muls + self.fused

    @property
    def share(self) -> float:
        """The arithmetic part of all instructions."""
        return self.arithmetic / self.total if self.total else 0.0

    @property
    def per_cycle(self) -> float:
        """Operations a cycle in each lane, a fused instruction counted as two."""
        done = self.adds + self.muls + 2 * self.fused
        return done / self.arithmetic_cy if self.arithmetic_cy else 0.0


def plan_of(context: Context) -> "CorePlan | None":
    """The plan of the loop's code; None on a machine whose file has no ``core``."""
    if context.machine.core is None:
        return None
    return (context.core or LazyPlan(context.function, context.facts, context.machine)).plan


def mix_of(code: "Code") -> Mix:
    """Floating-point instructions by kind, and all instructions."""
    counts = dict.fromkeys(FLOPS, 0.0)
    work: dict[Ports, float] = {}
    divides = total = 0.0
    for op in code.operations:
        name, _, kind = op.kind.partition(".")
        total += op.times * op.uops
        if op.role != "arithmetic" or kind[:1] not in ("f", "b"):
            continue
        if name in counts:
            counts[name] += op.times
            for ports, cycles in op.uses:
                work[ports] = work.get(ports, 0.0) + op.times * cycles
        elif name in ("div", "sqrt"):
            divides += sum([use.cy * op.times / max(1, len(use.ports)) for use in op.uses])
    busy, width = busiest(work).cycles, code.vector.width
    return Mix(
        adds=counts["add"],
        muls=counts["mul"],
        fused=counts["fma"],
        arithmetic_cy=busy,
        divides_cy=divides / width,
        total=total,
    )


def own_strides(subject: CeilingSubject) -> Iterator[tuple[Stream, int | None]]:
    """Each stream that moves with the kernel's own loop and its stride in bytes; None: unknown."""
    values = subject.context.sizes.values
    for stream in subject.context.facts.streams:
        stride = stream.strides[-1]
        if stream.pattern == "invariant":
            continue
        yield stream, None if stride is None else _number(stride, values)


def _number(poly: Poly, values: object) -> int | None:
    if poly.value is not None:
        return poly.value
    try:
        return poly.evaluate(values)  # type: ignore[arg-type]
    except (LookupError, ArithmeticError):
        return None


def prefetches(subject: CeilingSubject) -> bool:
    """Whether the loop asks for its data ahead of time."""
    return any(
        value.op == "call" and "prefetch" in value.callee
        for statement in subject.context.facts.kernel.statements
        for value in statement.values
    )


def first_touch(subject: CeilingSubject) -> tuple[Touch, str]:
    """Who wrote the loop's arrays first in this function: one thread, all of them, or unseen."""
    kernel = subject.context.facts.kernel
    wanted = {stream.array for stream in subject.context.facts.streams}
    touched: dict[str, Touch] = {}
    _touches(subject.context.function.body, kernel.loops[0], wanted, touched, parallel=False)
    for array, touch in touched.items():
        if touch == "serial":
            return "serial", array
    if wanted and set(touched) == wanted:
        return "parallel", ", ".join(sorted(touched))
    return "unseen", ""


def _touches(
    nodes: tuple[Node, ...],
    stop: Loop,
    wanted: set[str],
    touched: dict[str, Touch],
    *,
    parallel: bool,
) -> bool:
    """Collects first writes in program order; True once ``stop`` is reached."""
    for node in nodes:
        if node is stop:
            return True
        if isinstance(node, Region):
            inside = _runs_parallel(node, parallel)
            if _touches(node.body, stop, wanted, touched, parallel=inside):
                return True
        elif isinstance(node, Call) and node.name in SETTERS:
            for array in wanted & set(node.arrays):
                touched.setdefault(array, "serial")
        elif isinstance(node, Loop):
            inner = list(walk(node.body))
            if any(each is stop for each in inner):
                return True
            parallel = _collect_writes(inner, wanted, touched, parallel)
    return False


def _runs_parallel(region: Region, parallel: bool) -> bool:
    words = set(region.kind.split())
    if words & {"parallel", "for", "distribute"}:
        return True
    return parallel and not words & {"single", "master", "critical"}


def _collect_writes(
    nodes: Iterable[Node], wanted: set[str], touched: dict[str, Touch], parallel: bool
) -> bool:
    """Collects first writes of a loop; returns whether a worksharing construct was among it."""
    for node in nodes:
        if isinstance(node, Region):
            parallel = parallel or "for" in node.kind.split()
        elif isinstance(node, Statement):
            for access in node.accesses:
                if access.write and access.array in wanted:
                    touched.setdefault(access.array, "parallel" if parallel else "serial")
    return parallel


def imbalance(subject: CeilingSubject) -> tuple[float, str]:
    """The busiest thread's share over the mean, where a triangular loop is cut in equal pieces.

    With a static schedule over ``p`` threads the largest of the chunks of a triangle has
    (2p - 1) / p times the mean work (UCB/EECS-2008-134, appendix A.2.1).
    """
    kernel, threads = subject.context.facts.kernel, subject.context.cores
    if threads < 2:
        return 1.0, ""
    for region in [region for region in kernel.regions if "for" in region.kind.split()]:
        if any(clause.name == "schedule" and not _is_even(clause) for clause in region.clauses):
            return 1.0, ""
        shared = _first_loop(region)
        if shared is not None and _is_triangular(kernel, shared):
            return (2 * threads - 1) / threads, shared.index
    return 1.0, ""


def _first_loop(region: Region) -> Loop | None:
    return next((node for node in region.body if isinstance(node, Loop)), None)


def _is_even(schedule: Clause) -> bool:
    return schedule.value.startswith("static") and "," not in schedule.value


def _is_triangular(kernel: Kernel, shared: Loop) -> bool:
    inner = [loop for loop in kernel.loops if loop is not shared]
    return any(shared.index in (loop.upper - loop.lower).names() for loop in inner)


def can_thread(subject: CeilingSubject) -> bool:
    """Whether some loop of the nest looks as if its iterations could run on different cores.

    Each iteration writes places of its own and reads of the arrays it writes only those; without
    writes the result is a reduction, which threads can do. Aliasing is not looked into.
    """
    facts = subject.context.facts
    written = [stream for stream in facts.streams if stream.writes]
    if not written:
        return not _is_recurrence(subject)
    arrays = {stream.array for stream in written}
    if not all(_reads_its_own(stream) for stream in facts.streams if stream.array in arrays):
        return False
    return any(
        all(_moves(stream.strides[depth]) for stream in written)
        for depth in range(len(facts.kernel.loops))
    )


def _reads_its_own(stream: Stream) -> bool:
    stored = {r.displacement for r in stream.references if r.stored}
    others = [r for r in stream.references if r.loaded and r.displacement not in stored]
    return bool(stream.writes) and not others


def _moves(stride: Poly | None) -> bool:
    return stride is not None and bool(stride.terms)


def _is_recurrence(subject: CeilingSubject) -> bool:
    reason = subject.code.vector.reason if subject.code else None
    return reason is not None and reason.kind == "recurrence"
