"""A function's body made ready to run: offsets as sums over indices, innermost loops as walks."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias

from rooflint.facts.work import work_of
from rooflint.ir import Branch, Exit, Loop, Node, Poly, Region, Statement, UnknownValueError, walk

from .conditions import Condition

MAX_UNROLLED_TRIPS = 8
MAX_UNROLLED_REFERENCES = 64


class Policy(NamedTuple):
    """What a compiler or the data decide, and a trace has to assume.

    conditions   decide branches whose conditions are closed in indices and sizes
    branches     what happens at the others: the side with loops, else with most flops, else with
                 most accesses (``heavier``); one side after the other; always the first. Nothing
                 in them leaves a loop.
    promote      keep in a register what does not move with an innermost loop of straight code:
                 loads happen once before it, stores once after it
    updated_last a statement loads what it then stores after everything else, as gcc does for
                 ``x -= a * b``; only matters where streams compete for the ways of a set
    unknown      the value of something without closed form (``col[j]``), by its text and the
                 indices and sizes of the moment; also asked for sizes without a value
    """

    branches: Literal["heavier", "both", "then"] = "heavier"
    conditions: bool = True
    promote: bool = False
    updated_last: bool = False
    unknown: Callable[[str, Mapping[str, int]], int] | None = None


class Stride(NamedTuple):
    """A reference within a walk: where it begins, and how far it moves per iteration."""

    address: int
    stride_bytes: int
    bytes: int
    write: bool


class Walk(NamedTuple):
    """``trips`` iterations; each performs ``references`` in order, then every address moves on."""

    trips: int
    references: tuple[Stride, ...]


Signal: TypeAlias = str
"""Empty, or how control leaves: ``break``, ``continue``, ``return``."""
Run: TypeAlias = Generator[Walk, None, Signal]


class Values(dict[str, int]):
    """Sizes and the indices of the moment; what is missing is asked from the policy."""

    def __init__(self, sizes: Mapping[str, int], policy: Policy) -> None:
        super().__init__(sizes)
        self.unknown = policy.unknown

    def __missing__(self, name: str) -> int:
        if self.unknown is None:
            raise UnknownValueError(name)
        return self.unknown(name, self)


class Number:
    """A polynomial with the sizes filled in; fast where it is a sum over indices."""

    __slots__ = ("constant", "poly", "terms")

    def __init__(self, poly: Poly, sizes: Mapping[str, Poly]) -> None:
        poly = poly.substitute(sizes)
        self.poly: Poly | None = None
        self.constant = poly.terms.get((), 0)
        self.terms: tuple[tuple[str, int], ...] = ()
        for monomial, coefficient in poly.terms.items():
            if len(monomial) > 1 or not all(isinstance(atom, str) for atom in monomial):
                self.poly = poly
            elif monomial:
                self.terms += ((str(monomial[0]), coefficient),)

    def at(self, state: Values) -> int:
        if self.poly is not None:
            return self.poly.evaluate(state)
        total = self.constant
        for name, coefficient in self.terms:
            total += coefficient * state[name]
        return total


class Reference(NamedTuple):
    """One access, its address as a polynomial."""

    address: Poly
    bytes: int
    write: bool


class Straight:
    """Accesses one after the other."""

    def __init__(self, references: Iterable[Reference], sizes: Mapping[str, Poly]) -> None:
        self.references = [(Number(r.address, sizes), r.bytes, r.write) for r in references]

    def run(self, state: Values) -> Run:
        yield Walk(1, tuple(Stride(a.at(state), 0, b, w) for a, b, w in self.references))
        return ""


class Leave:
    """``break``, ``continue``, ``return``."""

    def __init__(self, kind: str) -> None:
        self.kind = "return" if kind == "throw" else kind

    def run(self, _state: Values) -> Run:
        yield from ()
        return self.kind


class Choice:
    """A branch. ``assumed`` are the sides taken where the condition is not closed."""

    def __init__(
        self, condition: Condition | None, sides: list[list["Plan"]], assumed: tuple[int, ...]
    ) -> None:
        self.condition, self.sides, self.assumed = condition, sides, assumed

    def run(self, state: Values) -> Run:
        taken = None if self.condition is None else self.condition.at(state)
        if taken is not None:
            return (yield from run_all(self.sides[0 if taken else 1], state))
        for side in self.assumed:
            yield from run_all(self.sides[side], state)
        return ""


class Nest:
    """A loop over anything."""

    def __init__(self, loop: Loop, sizes: Mapping[str, Poly], body: list["Plan"]) -> None:
        self.index = loop.index
        self.bounds = [Number(bound, sizes) for bound in (loop.lower, loop.upper, loop.step)]
        self.body = body

    def range(self, state: Values) -> range:
        """The index values of one execution. Raises ValueError when the step is zero."""
        lower, upper, step = (bound.at(state) for bound in self.bounds)
        return range(lower, upper, step)

    def run(self, state: Values) -> Run:
        for value in self.range(state):
            state[self.index] = value
            signal = yield from run_all(self.body, state)
            if signal == "break":
                break
            if signal == "return":
                return signal
        return ""


class Run1D(Nest):
    """An innermost loop over straight code in which every address moves by a fixed stride."""

    def __init__(
        self, loop: Loop, sizes: Mapping[str, Poly], references: list[Reference], promote: bool
    ) -> None:
        super().__init__(loop, sizes, [])
        self.before = self.after = Straight((), sizes)
        if promote:
            fixed = [r for r in references if loop.index not in r.address.names()]
            references = [r for r in references if loop.index in r.address.names()]
            self.before = Straight((r for r in fixed if not r.write), sizes)
            self.after = Straight((r for r in fixed if r.write), sizes)
        self.moving = [
            (Number(r.address, sizes), Number(slope, sizes), r.bytes, r.write)
            for r in references
            if (slope := r.address.coefficient(loop.index)) is not None
        ]

    def run(self, state: Values) -> Run:
        values = self.range(state)
        if not values:
            return ""
        state[self.index] = values.start
        if self.before.references:
            yield from self.before.run(state)
        if self.moving:
            step = values.step
            strides = tuple(
                Stride(address.at(state), slope.at(state) * step, size, write)
                for address, slope, size, write in self.moving
            )
            yield Walk(len(values), strides)
        if self.after.references:
            yield from self.after.run(state)
        return ""


Plan: TypeAlias = Straight | Leave | Choice | Nest


def run_all(plans: list[Plan], state: Values) -> Run:
    """The plans in their order, until one of them leaves."""
    for plan in plans:
        signal = yield from plan.run(state)
        if signal:
            return signal
    return ""


class Planner:
    """Turns nodes into plans at fixed addresses and sizes."""

    def __init__(
        self, layout: Mapping[str, int], values: Mapping[str, int], policy: Policy
    ) -> None:
        self.layout = layout
        self.sizes = {name: Poly.constant(value) for name, value in values.items()}
        self.policy = policy

    def plans(self, nodes: Iterable[Node]) -> list[Plan]:
        found: list[Plan | list[Reference]] = []
        for node in flat(nodes):
            new: list[Plan | list[Reference]] = []
            if isinstance(node, Statement):
                new = [self.references(node)]
            elif isinstance(node, Loop):
                new = self.loop(node)
            elif isinstance(node, Branch):
                new = [self.references(node.condition), self.choice(node)]
            elif isinstance(node, Exit) and node.kind != "goto":
                new = [Leave(node.kind)]
            for part in new:
                if isinstance(part, list) and found and isinstance(found[-1], list):
                    found[-1] += part
                elif part:
                    found.append(part)
        return [Straight(p, self.sizes) if isinstance(p, list) else p for p in found]

    def references(self, statement: Statement) -> list[Reference]:
        accesses = [
            statement.accesses[v.access] for v in statement.values if v.op in ("load", "store")
        ]
        if self.policy.updated_last:
            stored = [(access.array, access.offset) for access in accesses if access.write]
            accesses.sort(key=lambda access: (access.array, access.offset) in stored)
        return [Reference(a.offset + self.layout[a.array], a.bytes, a.write) for a in accesses]

    def straight(self, nodes: Iterable[Node]) -> list[Reference] | None:
        """What straight code accesses, short loops in it unrolled; None for other code."""
        found: list[Reference] = []
        for node in flat(nodes):
            if isinstance(node, Statement):
                found += self.references(node)
            elif isinstance(node, Loop):
                inner = self.unrolled(node)
                if inner is None:
                    return None
                found += inner
            elif isinstance(node, Branch | Exit):
                return None
        return found

    def unrolled(self, loop: Loop) -> list[Reference] | None:
        """The loop's accesses where the source says that it is short; None for other loops."""
        known = [bound.value for bound in (loop.lower, loop.upper, loop.step)]
        if None in known:
            return None
        trips = range(*(value for value in known if value is not None))
        body = self.straight(loop.body) if len(trips) <= MAX_UNROLLED_TRIPS else None
        if body is None or len(body) * len(trips) > MAX_UNROLLED_REFERENCES:
            return None
        return [
            r._replace(address=r.address.substitute({loop.index: Poly.constant(trip)}))
            for trip in trips
            for r in body
        ]

    def loop(self, loop: Loop) -> list[Plan | list[Reference]]:
        references = self.straight(loop.body)
        if references is None or any(r.address.coefficient(loop.index) is None for r in references):
            body = self.plans(loop.body)
            return [Nest(loop, self.sizes, body)] if body else []
        return [Run1D(loop, self.sizes, references, self.policy.promote)] if references else []

    def choice(self, branch: Branch) -> Choice:
        sides = [self.plans(branch.then), self.plans(branch.orelse)]
        assumed: tuple[int, ...] = (0,)
        if self.policy.branches == "both":
            assumed = (0, 1)
        elif self.policy.branches == "heavier" and _weight(branch.orelse) > _weight(branch.then):
            assumed = (1,)
        condition = Condition(branch.condition) if self.policy.conditions else None
        return Choice(condition, sides, assumed)


def flat(nodes: Iterable[Node]) -> Iterator[Node]:
    """``nodes`` with what directives govern in place of the directives."""
    for node in nodes:
        if isinstance(node, Region):
            yield from flat(node.body)
        else:
            yield node


def _weight(nodes: tuple[Node, ...]) -> tuple[bool, int, int]:
    inside = tuple(walk(nodes))
    work = work_of(node for node in inside if isinstance(node, Statement))
    loops = any(isinstance(node, Loop) for node in inside)
    return (loops, work.flops, work.loads + work.stores)
