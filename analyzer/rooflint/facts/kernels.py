"""The kernels of a function: loops that directly own statements with arithmetic or array accesses.

An inner loop of at most eight iterations known at compile time, with straight code inside, belongs
to its parent: a compiler unrolls it away, so its statements appear there once per iteration.
Of a branch only the heavier side counts (most flops, then most accesses), and that is recorded. A
side that only leads out of the loop runs once at most and does not count.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Final, TypeAlias

from rooflint import ir
from rooflint.facts.guards import ExclusiveArm, LoopGuard, arms_of, excludes_loops, share_of
from rooflint.facts.text_values import assumed_of_call
from rooflint.facts.work import count_work
from rooflint.ir.reasons import CALLS
from rooflint.records import NamedTuple

MAX_UNROLLED_TRIPS = 8
MAX_COPIES = 64
UNKNOWN_CALL_CYCLES: Final = 5.0
"""Of a call of a function out of sight: there and back with a few instructions in between (measured
on Zen 4). The least, so that what is said of calls holds whatever the function does."""
CODE: Final = CALLS | {"if", "inline-assembly", "does-not-compile"}
"""Kinds of reasons why code is not modelled."""
WORKLESS = frozenset(("const", "scalar", "carried", "assign", "index", "opaque"))


class Gap(NamedTuple):
    """Something the numbers of a kernel leave out: the node's origin, and why."""

    origin: int
    reason: ir.Reason

    @property
    def is_code(self) -> bool:
        """Whether it is work, so that it takes time; else a place in memory that is unknown."""
        return self.reason.kind in CODE


class PricedCall(NamedTuple):
    """Calls of one function in an iteration, and the core cycles that they take together.

    ``shared``: the part of them that a team of OpenMP shares where the loop itself is serial.
    """

    name: str
    cycles: float
    shared: float = 0.0

    def with_team(self, cores: int) -> "PricedCall":
        """The calls where a team has so many ``cores``: cycles from begin to end."""
        cycles = self.cycles - self.shared * (1 - 1 / cores)
        return self._replace(cycles=cycles, shared=0.0)


class Kernel(NamedTuple):
    """The unit that models predict.

    id            unique in its function, unmoved by new lines: ``smooth/i.j``, ``smooth/i.j#2``
    loops         the enclosing loops, outermost first; the last one is the kernel's own
    statements    what one iteration of the own loop executes, inner unrolled loops included
    origin        that of the own loop
    innermost     no loop is left inside
    regions       OpenMP directives around the own loop, outermost first
    assumptions   what was taken for granted, each a sentence
    not_covered   what one iteration also does and the numbers leave out
    calls         the functions among that, by name; mathematical ones are work, not here
    always_calls  one of them is called in every iteration, not only in a branch
    priced        calls whose cycles are known, or a lower bound of them
    guards        comparisons of sizes and indices around it, without which it does not run
    arms          by loop: the arms around it, within the loop before it, that exclude other loops
    """

    id: str
    loops: tuple[ir.Loop, ...]
    statements: tuple[ir.Statement, ...]
    origin: int
    innermost: bool
    regions: tuple[ir.Region, ...] = ()
    assumptions: tuple[str, ...] = ()
    not_covered: tuple[Gap, ...] = ()
    calls: tuple[str, ...] = ()
    always_calls: bool = False
    priced: tuple[PricedCall, ...] = ()
    guards: tuple[LoopGuard, ...] = ()
    arms: tuple[tuple[ExclusiveArm, ...], ...] = ()

    def arm_shares(self, values: Mapping[str, int]) -> tuple[float, ...]:
        """By loop, outermost first: the part of the executions of the code around it that reach it;
        loops of arms that exclude each other share them out."""
        return tuple([share_of(arms, values) for arms in self.arms])

    def arrays_of(self, function: ir.Function) -> tuple[ir.Array, ...]:
        """Those of the function's arrays that its statements access."""
        touched = {access.array for each in self.statements for access in each.accesses}
        return tuple([array for array in function.arrays if array.name in touched])


def kernels(function: ir.Function, rolled: Collection[int] = ()) -> tuple[Kernel, ...]:
    """All kernels of ``function`` in program order.

    ``rolled``: origins of loops that stay loops however few their iterations. Whether a compiler
    unrolls a loop away is a matter of the code that comes of it, which a change that makes four
    iterations one leaves as large as it was: without this, its price would be that of other code.
    """
    finder = _KernelFinder(function.name, rolled)
    finder.visit(function.body, (), _Around())
    return tuple(finder.found)


_Taken: TypeAlias = str | LoopGuard
"""What is taken for granted around a loop: an assumption in words, or a condition."""


class _Around(NamedTuple):
    """Directives around a node, what they and branches make certain, and by loop the arms of
    branches, those since the last loop behind them."""

    regions: tuple[ir.Region, ...] = ()
    taken: tuple[_Taken, ...] = ()
    arms: tuple[tuple[ExclusiveArm, ...], ...] = ((),)

    def within_region(self, region: ir.Region) -> "_Around":
        return self._replace(regions=(*self.regions, region))

    def within_arms(self, branch: ir.Branch, *taken: str) -> "list[_Around]":
        """Around the nodes of either arm."""
        known = (*self.taken, *taken)
        if not excludes_loops(branch):
            return [self._replace(taken=(*known, *arm.guards)) for arm in arms_of(branch)]
        *outer, own = self.arms
        return [
            self._replace(taken=(*known, *arm.guards), arms=(*outer, (*own, arm)))
            for arm in arms_of(branch)
        ]

    def within_loop(self) -> "_Around":
        return self._replace(arms=(*self.arms, ()))


class _Body:
    """Statements and accesses that a loop owns directly, in program order.

    ``lost``: something in it is not modelled at all, so that the loop has to be spoken of.
    """

    __slots__ = ("assumptions", "calls", "gaps", "loops", "lost", "priced", "statements")

    def __init__(self) -> None:
        self.statements: list[ir.Statement] = []
        self.loops: list[tuple[ir.Loop, _Around]] = []
        self.gaps: list[Gap] = []
        self.calls: dict[str, bool] = {}
        self.priced: dict[str, PricedCall] = {}
        self.assumptions: list[str] = []
        self.lost = False

    def call(self, call: ir.Call) -> None:
        """A call that may do anything: its cycles, and what is not known of it."""
        cost = call.cost
        if cost is not None:
            self.add_priced(PricedCall(call.name, cost.cycles, cost.shared))
            self.assumptions += assumed_of_call(call.name, cost)
        if cost is None or not cost.complete:
            self.gaps.append(Gap(call.origin, _unknown_call(call)))
            self.calls[call.name] = True

    def add_priced(self, call: PricedCall, share: float = 1.0) -> None:
        """Cycles of calls that an iteration makes so often."""
        before = self.priced.get(call.name, PricedCall(call.name, 0.0))
        self.priced[call.name] = before._replace(
            cycles=before.cycles + share * call.cycles, shared=before.shared + share * call.shared
        )

    def leave_out(self) -> None:
        """Drops all but the loops: the rest runs at most once, on the way out of the loop."""
        for owned in (self.statements, self.gaps, self.assumptions):
            owned.clear()
        self.calls.clear()
        self.priced.clear()
        self.lost = False


class _KernelFinder:
    """One pass over a function."""

    def __init__(self, name: str, rolled: Collection[int]) -> None:
        self.name = name
        self.rolled = rolled
        self.found: list[Kernel] = []
        self.ids: dict[str, int] = {}

    def visit(self, nodes: Iterable[ir.Node], loops: tuple[ir.Loop, ...], around: _Around) -> None:
        for node in nodes:
            if type(node) is ir.Loop:
                self.loop(node, loops, around)
            elif type(node) is ir.Region:
                self.visit(node.body, loops, around.within_region(node))
            elif type(node) is ir.Branch:
                then, orelse = around.within_arms(node)
                self.visit(node.then, loops, then)
                self.visit(node.orelse, loops, orelse)

    def loop(self, loop: ir.Loop, outer: tuple[ir.Loop, ...], around: _Around) -> None:
        loops = (*outer, loop)
        body = _Body()
        self.gather(loop.body, body, around.within_loop())
        priced = body.priced.values()
        if body.lost or priced or _works(body.statements):
            self.found.append(
                Kernel(
                    id=self.id(loops),
                    loops=loops,
                    statements=tuple(body.statements),
                    origin=loop.origin,
                    innermost=not body.loops,
                    regions=around.regions,
                    assumptions=_assumptions(
                        loop, (*[a for a in around.taken if type(a) is str], *body.assumptions)
                    ),
                    not_covered=tuple(body.gaps),
                    calls=tuple(body.calls),
                    always_calls=any(body.calls.values()),
                    priced=tuple(priced),
                    guards=tuple([each for each in around.taken if isinstance(each, LoopGuard)]),
                    arms=around.arms,
                )
            )
        for inner, its_own in body.loops:
            self.loop(inner, loops, its_own)

    def gather(self, nodes: Iterable[ir.Node], body: _Body, around: _Around) -> None:
        """Sorts ``nodes`` into what the enclosing loop owns and the loops to look at next."""
        for node in nodes:
            if type(node) is ir.Statement:
                body.statements.append(node)
            elif type(node) is ir.Loop:
                unrolled = unroll(node, body.statements, self.rolled)
                if unrolled is None:
                    body.loops.append((node, around))
                else:
                    body.statements.extend(unrolled)
            elif type(node) is ir.Branch:
                self.branch(node, body, around)
            elif type(node) is ir.Region:
                self.gather(node.body, body, around.within_region(node))
            elif type(node) is ir.Opaque:
                body.gaps.append(Gap(node.origin, node.reason))
                body.lost = True
            elif type(node) is ir.Call and node.effects == "unknown":
                body.call(node)

    def branch(self, branch: ir.Branch, body: _Body, around: _Around) -> None:
        body.statements.append(branch.condition)
        sides = [_Body(), _Body()]
        taken = "the branch is always taken"
        if branch.orelse:
            taken = "the more expensive side of the branch is assumed"
        arms, inside = (branch.then, branch.orelse), around.within_arms(branch, taken)
        for number, (side, nodes) in enumerate(zip(sides, arms, strict=True)):
            self.gather(nodes, side, inside[number])
            if branch.exit_paths[number]:
                body.assumptions.extend(_left_out(nodes, side))
                side.leave_out()
        heavier = sides[0 if _weight(sides[0]) >= _weight(sides[1]) else 1]
        body.statements.extend(heavier.statements)
        body.assumptions += [*heavier.assumptions, *_taken_arm(branch, heavier, taken)]
        for side, arm in zip(sides, arms_of(branch), strict=True):
            body.loops.extend(side.loops)
            body.gaps.extend(side.gaps)
            body.lost = body.lost or side.lost
            for name in side.calls:
                body.calls.setdefault(name, False)
            for call in side.priced.values():
                body.add_priced(call, arm.share)

    def id(self, loops: tuple[ir.Loop, ...]) -> str:
        path = f"{self.name}/{'.'.join([loop.index for loop in loops])}"
        number = self.ids[path] = self.ids.get(path, 0) + 1
        return path if number == 1 else f"{path}#{number}"


def _unknown_call(call: ir.Call) -> ir.Reason:
    candidates = call.cost.candidates if call.cost is not None else ()
    if not candidates:
        return ir.Reason("call", (call.name,))
    return ir.Reason("candidates", (call.name, " or ".join(candidates)))


def _assumptions(loop: ir.Loop, known: tuple[str, ...]) -> tuple[str, ...]:
    left_by = [way for way in loop.exits if way not in ir.SKIPS | {ir.UNCOUNTED}]
    if left_by:
        known = (*known, f"the loop is never left early ({', '.join(left_by)})")
    return tuple(dict.fromkeys(known)) if known else ()


def _taken_arm(branch: ir.Branch, heavier: _Body, taken: str) -> list[str]:
    """The assumption that an arm runs in every iteration; the loop never leaves by another."""
    counts = bool(heavier.statements or heavier.gaps)
    return [taken] if counts and not any(branch.exit_paths) else []


def _left_out(nodes: tuple[ir.Node, ...], side: _Body) -> list[str]:
    """Names the work on an exit path, which no number has; nothing for a bare jump."""
    called = [node for node in ir.walk(nodes) if isinstance(node, ir.Call)]
    ends = dict.fromkeys([call.name for call in called if call.effects == "no-return"])
    if ends:
        return [f"without the path to `{name}`" for name in ends]
    calls = dict.fromkeys([call.name for call in called if call.effects != "none"])
    if calls:
        return [f"the exit path that calls {', '.join(calls)} is not counted"]
    return ["the exit path is not counted"] if side.lost or _works(side.statements) else []


def _weight(side: _Body) -> tuple[int, int]:
    flops, loads, stores = count_work(side.statements)
    return (flops, loads + stores)


def _works(statements: Iterable[ir.Statement]) -> bool:
    for statement in statements:
        if statement.accesses:
            return True
        for value in statement.values:
            if value.op not in WORKLESS:
                return True
    return False


def short_trips(loop: ir.Loop) -> int | None:
    """The iterations of a loop a compiler unrolls away; None for any other."""
    if loop.exits:
        return None
    lower, upper, step = loop.lower.value, loop.upper.value, loop.step.value
    if lower is None or upper is None or not step:
        return None
    trips = max(0, -((lower - upper) // step))
    return trips if trips <= MAX_UNROLLED_TRIPS else None


def unroll(
    loop: ir.Loop, before: Iterable[ir.Statement] = (), rolled: Collection[int] = ()
) -> tuple[ir.Statement, ...] | None:
    """The statements of all iterations of a short loop with straight code; None for any other.

    ``before`` is what the parent executes ahead of the loop: a scalar set there is what the first
    iteration's ``carried`` value reads. ``rolled``: loops left alone.
    """
    trips = short_trips(loop)
    if trips is None or loop.origin in rolled:
        return None
    straight = _straight(loop, rolled)
    if straight is None or trips * len(straight) > MAX_COPIES:
        return None
    lower, step = loop.lower.value or 0, loop.step.value or 1
    assigned = _assigned(before)
    copies: list[ir.Statement] = []
    for trip in range(trips):
        values = {loop.index: ir.Poly.constant(lower + trip * step)}
        copies += [_at(statement, values, assigned) for statement in straight]
        assigned |= _assigned(straight)
    return tuple(copies)


def _straight(loop: ir.Loop, rolled: Collection[int]) -> list[ir.Statement] | None:
    """The statements of one iteration, short loops inside unrolled; None where it branches."""
    straight: list[ir.Statement] = []
    for node in loop.body:
        if isinstance(node, ir.Statement):
            straight.append(node)
            continue
        inner = unroll(node, straight, rolled) if isinstance(node, ir.Loop) else None
        if inner is None:
            return None
        straight.extend(inner)
    return straight


def _assigned(statements: Iterable[ir.Statement]) -> set[str]:
    return {value.name for s in statements for value in s.values if value.op == "assign"}


def _at(statement: ir.Statement, index: dict[str, ir.Poly], assigned: set[str]) -> ir.Statement:
    """``statement`` in one iteration; what the iteration before left is a scalar of this one."""
    accesses = tuple(
        access._replace(
            offset=access.offset.substitute(index),
            subscripts=tuple(subscript.substitute(index) for subscript in access.subscripts),
        )
        for access in statement.accesses
    )
    values = [
        ir.without_carry(value) if value.op == "carried" and value.name in assigned else value
        for value in statement.values
    ]
    return ir.Statement(tuple(values), accesses, statement.origin)
