"""A compiled loop body as nodes for the scheduler: what waits for what, whence lines come."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from rooflint.core.graph.dependences import resumed_values
from rooflint.core.graph.values import GraphNode
from rooflint.core.instructions import CompiledBody
from rooflint.core.issue.micro_ops import OVERHEAD, BodyInstruction
from rooflint.ir import Loop
from rooflint.machine import PortUse
from rooflint.records import NamedTuple

from rooflint_plugins.models.bounds.lines import EIGHTHS, LineWalk
from rooflint_plugins.models.bounds.parts import Form, Need, Op, OpStretch
from rooflint_plugins.models.bounds.target import CALLS, COMPUTE, BoundsTarget

FLOATS: Final = ("f16", "bf16", "f32", "f64", "f80", "f128", "c64", "c128")
MAX_PIECES: Final = 16
"""Instructions of one kind and value in a body; more are taken as so many."""

MAX_PHASES: Final = 64
FAR_BODIES: Final = 2
"""Lines that were brought more lines of bodies ago are there."""


class LoweredBody(NamedTuple):
    """A body of ``width`` iterations of the source's loop."""

    stretch: OpStretch
    width: int


class BodyLowering:
    """Makes the nodes of a body, in program order."""

    def __init__(
        self,
        body: CompiledBody,
        walks: dict[int, LineWalk],
        target: BoundsTarget,
        around: Loop | None,
    ) -> None:
        self.body, self.walks, self.target, self.around = body, walks, target, around
        self.ops: list[Op] = []
        self.results: dict[int, tuple[int, ...]] = {}
        self.later: list[tuple[int, int, int]] = []
        self.bringers: dict[int, int] = {}

    def lowered(self) -> LoweredBody:
        """The whole body, overhead last."""
        body = self.body
        for number in body.graph.live:
            self.value(number, body.graph.nodes[number])
        for instruction in body.by_value.get(OVERHEAD, ()):
            if instruction.operation.uops:
                self.add(instruction, (), None)
        for op, value, back in self.later:
            self.ops[op] = self.wait(op, value, back)
        resumes = frozenset(self.resumed()) if self.around is not None else frozenset()
        return LoweredBody(
            OpStretch(with_ordered_ports(self.ops), resumes=resumes), body.vector.width
        )

    def resumed(self) -> Iterator[int]:
        """Instructions that the loop's next execution goes on from."""
        assert self.around is not None
        for value in resumed_values(self.body.graph, self.body.memory.flows, self.around):
            yield from self.results.get(value, ())

    def value(self, number: int, node: GraphNode) -> None:
        """The instructions of one value."""
        if number in self.body.in_register or number not in self.body.by_value:
            if node.op == "store":
                return
            if number not in self.body.in_register and len(node.args) == 1:
                self.results[number] = self.results.get(node.args[0], ())
            return
        made: tuple[int, ...] = ()
        for instruction in self.body.by_value[number]:
            first = not made or instruction.role == "load"
            made = self.step(number, node, instruction, made, first)
        self.results[number] = made

    def step(
        self,
        number: int,
        node: GraphNode,
        instruction: BodyInstruction,
        made: tuple[int, ...],
        first: bool,
    ) -> tuple[int, ...]:
        """One instruction of a value, after those that it has already."""
        before: tuple[tuple[int, ...], ...] = ()
        if instruction.role == "store" or first:
            before = tuple([self.results.get(a, ()) for a in node.args])
        if not first:
            before = (*before, made)
        memory = number if instruction.role in ("load", "store") else None
        new = self.add(instruction, before, memory)
        if first and instruction.role != "load":
            self.carried(new, node)
        if instruction.role == "load":
            self.flows(new, number)
            return (*made, *new)
        return new

    def carried(self, new: tuple[int, ...], node: GraphNode) -> None:
        """Waits for values of earlier iterations: handed on in scalars, or kept in registers."""
        for argument in node.args:
            for value, back in self.earlier(argument):
                self.later += [(op, value, back) for op in new]

    def earlier(self, argument: int) -> list[tuple[int, int]]:
        """Which values of how many bodies before stand behind an argument."""
        body = self.body
        node = body.graph.nodes[argument]
        turns = body.turns
        if node.op == "carried":
            final = body.graph.finals.get(node.scalar)
            back = turns if node.scalar in body.spread else 1
            return [] if final is None else [(final, back)]
        if argument not in body.in_register or node.op != "load":
            return []
        found = []
        for flow in body.memory.flows:
            if flow.load == argument:
                back = turns if flow.store in body.summed else self.bodies(flow.iterations)
                found.append((body.graph.nodes[flow.store].args[0], back))
        return found

    def flows(self, new: tuple[int, ...], number: int) -> None:
        """Waits of a load for the store that wrote its place."""
        for flow in self.body.memory.flows:
            if flow.load == number:
                back = self.bodies(flow.iterations)
                self.later += [(op, -flow.store - 1, back) for op in new]

    def bodies(self, iterations: int) -> int:
        """Bodies between two iterations."""
        return max(1, iterations // self.body.vector.width)

    def wait(self, op: int, value: int, back: int) -> Op:
        """Node ``op`` with a wait for a value (negative: a store) of an earlier body."""
        node = self.body.graph.nodes
        produced = self.results.get(-value - 1 if value < 0 else value, ())
        needs = [Need(p, (back,)) for p in produced]
        if not produced and value >= 0:
            # handed on unchanged, or through another scalar: as far back again
            for further, more in self.earlier(value) if node[value].op == "carried" else ():
                needs += [Need(p, (back + more,)) for p in self.results.get(further, ())]
        return self.ops[op]._replace(needs=(*self.ops[op].needs, *needs))

    def add(
        self, instruction: BodyInstruction, before: tuple[tuple[int, ...], ...], memory: int | None
    ) -> tuple[int, ...]:
        """As many nodes as the body has of an instruction; pieces wait for pieces."""
        whole, part = divmod(Fraction(instruction.times).limit_denominator(8), 1)
        form = self.form(instruction)
        first = len(self.ops)
        pieces = max(1, min(int(whole) + (1 if part else 0), MAX_PIECES))
        if memory is not None:
            form = form._replace(bytes=self.moved_bytes(memory, pieces))
        for piece in range(pieces):
            needs = [
                Need(p)
                for made in before
                for p in (made if len(made) != pieces else (made[piece],))
            ]
            forms: tuple[Form | None, ...] = (form,)
            if memory is not None:
                forms, waits = self.levels(form, memory, piece, pieces)
                needs += waits
            if part and piece == pieces - 1:
                forms = _now_and_then(form, part)
            self.ops.append(Op(forms, tuple(needs)))
        return tuple(range(first, len(self.ops)))

    def moved_bytes(self, number: int, pieces: int) -> int:
        """Bytes of a body's elements that each of ``pieces`` loads or stores moves."""
        access = self.body.graph.nodes[number].access
        assert access is not None
        return max(1, access.bytes * self.body.vector.width // pieces)

    def form(self, instruction: BodyInstruction) -> Form:
        """How an instruction executes with its data in the nearest level."""
        target, operation = self.target, instruction.operation
        uses = (*operation.uses, *instruction.also)
        latency = 1.0 if operation.latency_cy is None else operation.latency_cy
        if instruction.role == "call":
            call = (PortUse((CALLS,), instruction.cycles),)
            return target.plain("call", "other", instruction.cycles, call, 1)
        if instruction.role in ("load", "store"):
            nearest = target.levels[0]
            if instruction.role == "store":
                latency = max(latency, float(nearest.latency_cy))
            name = f"{nearest.name} {instruction.role}"
            plain = target.plain(name, "memory", latency, uses, operation.uops)
            slots = 0 if instruction.part else plain.slots
            return plain._replace(role=instruction.role, slots=slots)
        computes = instruction.name in COMPUTE and instruction.kind in FLOATS
        if computes and instruction.role == "arithmetic":
            return target.plain(instruction.name, "compute", latency, uses, operation.uops)
        return target.plain("other", "other", latency, uses, operation.uops)

    def levels(
        self, form: Form, number: int, piece: int, pieces: int
    ) -> tuple[tuple[Form | None, ...], list[Need]]:
        """The forms of an access by body, and its waits for the node that brings its line."""
        walk = self.walks[number]
        front = self.walks[walk.leader]
        if not any(front.misses) and not any(front.leaves) and not front.pages:
            return (form,), []
        line = self.target.context.machine.line_bytes
        # an access of its own line reads no more than that one
        body_bytes = min(abs(walk.stride), line) * self.body.vector.width
        phases = max(1, round(line / body_bytes))
        if walk.leader == number and piece == 0:
            self.bringers[number] = len(self.ops)
        if walk.leader != number:
            return (form,), self.follow(walk, phases, form.role)
        each = body_bytes / pieces
        brings = piece == 0 or int(piece * each // line) > int((piece - 1) * each // line)
        if not brings:
            waits = self.follow(walk, phases, form.role)
            return (form,), waits
        lines = max(1, round(each / line))
        ahead = not walk.scattered
        rounds = _rounds(front, phases)
        events = max(1, min(pieces, round(body_bytes / line)))
        forms: list[Form | None] = []
        for body in range(rounds * phases):
            turn, rest = divmod(body, phases)
            if rest:
                forms.append(form)
                continue
            event = (turn * events + piece * events // pieces) % rounds
            made = self.target.access(
                form, form.role, front.level(event), front.leaving(event), ahead, lines
            )
            forms.append(self.target.walking(made, lines) if front.walks(event) else made)
        distances = (-1, *range(1, phases))
        own = [Need(len(self.ops), distances)] if phases > 1 and form.role == "load" else []
        return tuple(forms), own

    def follow(self, walk: LineWalk, phases: int, role: str) -> list[Need]:
        """Waits of a load for the line that another access, or an earlier piece, brings."""
        bringer = self.bringers.get(walk.leader)
        if bringer is None or role != "load":
            return []
        back = walk.behind // (abs(walk.stride) * self.body.vector.width)
        distances = []
        for phase in range(phases):
            # the body in which the leader stood where this access stands now, and began its line
            distance = back + (phase - back) % phases
            distances.append(distance if distance <= FAR_BODIES * phases else -1)
        return [Need(bringer, tuple(distances))] if any(d >= 0 for d in distances) else []


def with_ordered_ports(ops: list[Op]) -> tuple[Op, ...]:
    """The nodes with their ports in the order in which they are best tried: least demanded first.

    A fixed order keeps the state of the machine simple, so that it repeats soon.
    """
    demand: dict[int, float] = {}
    for op in ops:
        for form in op.forms:
            for hold in form.holds if form is not None else ():
                for port in hold.ports:
                    share = hold.cycles / len(hold.ports) / len(op.forms)
                    demand[port] = demand.get(port, 0.0) + share

    def ordered(form: Form | None) -> Form | None:
        if form is None:
            return None
        # what can go to few ports only is placed first
        found = sorted(form.holds, key=lambda hold: len(hold.ports))
        best = [tuple(sorted(h.ports, key=lambda p: (demand[p], p))) for h in found]
        holds = tuple([h._replace(ports=p) for h, p in zip(found, best, strict=True)])
        return form._replace(holds=holds)

    return tuple([op._replace(forms=tuple([ordered(form) for form in op.forms])) for op in ops])


def _rounds(front: LineWalk, phases: int) -> int:
    spread = (*front.misses, *front.leaves, front.pages)
    if all(eighths in (0, EIGHTHS) for eighths in spread):
        return 1
    rounds = EIGHTHS
    while rounds > 2 and rounds * phases > MAX_PHASES:
        rounds //= 2
    return rounds


def _now_and_then(form: Form, part: Fraction) -> tuple[Form | None, ...]:
    bodies, times = part.denominator, part.numerator
    return tuple(
        [form if (b + 1) * times // bodies > b * times // bodies else None for b in range(bodies)]
    )
