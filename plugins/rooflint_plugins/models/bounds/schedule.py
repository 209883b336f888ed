"""The scheduler: every node in program order at the earliest cycle where all it needs is free.

Greedy as in Tomasulo's machine: a younger node may fill a slot that older ones left, and older ones
have priority. Times are absolute cycles; calendars and marks are bit sets of the cycles from
``origin`` on. No node ever starts before the fetch cycle, so what lies before it is final and is
cut off as a segment.

V. C. Cabezas, M. Püschel: Extending the roofline model: bottleneck analysis with microarchitectural
constraints, IISWC 2014; rules as in the authors' tool, ERM 4.0.1.
"""

from bisect import insort
from collections import deque
from heapq import heappop, heappush
from typing import Final, TypeAlias

from rooflint.records import NamedTuple

from rooflint_plugins.models.bounds.parts import BUFFERS, Form, Hold, ScheduledCore

Marks: TypeAlias = tuple[int, ...]
NONE: Final = 1 << 62
RS, ROB, LB, SB, LFB = range(len(BUFFERS))


class Segment(NamedTuple):
    """``cycles`` that lie behind the fetch, and which of them each class or buffer is busy in.

    issue, span  by class: cycles in which it starts or holds a slot; cycles until results arrive
    stall        by buffer, in the order of BUFFERS
    times        how often the segment occurs
    """

    cycles: int
    issue: Marks
    span: Marks
    stall: Marks
    times: int = 1


class CoreState(NamedTuple):
    """The state of a core, with cycles of buffers as they are: few states need them relative.

    outline   what of it is relative to the fetch cycle already
    retiring  when the entries of the reorder buffer are done, in its order
    held      when entries leave reservation station, load, store and line-fill buffers
    """

    outline: tuple[object, ...]
    fetch: int
    retiring: tuple[int, ...]
    held: tuple[tuple[int, ...], ...]

    def relative(self) -> tuple[object, ...]:
        """All of the state relative to the fetch cycle: equal states go on equally."""
        fetch = self.fetch
        return (
            self.outline,
            tuple([done - fetch if done > fetch else 0 for done in self.retiring]),
            *[tuple(sorted([done - fetch for done in h if done > fetch])) for h in self.held],
        )


class Scheduler:
    """The state of one core."""

    def __init__(self, core: ScheduledCore) -> None:
        self.core = core
        self.in_order, self.ordering = core.in_order, core.ordering
        self.fetch = 0
        self.width = core.fetch_width or NONE
        self.left = self.width
        self.origin = 0
        self.end = 0
        self.rob_size, self.rs_size = core.rob or NONE, core.rs or NONE
        self.rob: deque[int] = deque()
        self.rs: list[int] = []
        self.loads: list[int] = []
        self.stores: list[int] = []
        self.fills: list[int] = []
        self.last_load = self.last_store = self.last_issue = 0
        count = len(core.resources)
        self.ports = [0] * len(core.ports)
        self.classes: list[list[int]] = [[0] * (r.parallel or 0) for r in core.resources]
        self.addresses = [0] * (core.address_units or 0)
        self.issue, self.span = [0] * count, [0] * count
        self.stall = [0] * len(BUFFERS)
        self.nodes = [0] * count

    def place(self, form: Form, ready: int) -> int:
        """The cycle in which a node starts whose operands are there in cycle ``ready``."""
        role, latency = form.role, form.latency
        if role == "none":
            start = max(self.fetch, ready)
            self.end = max(self.end, start + latency)
            return start
        rob, rs = self.rob, self.rs
        while self.left <= 0 or len(rob) >= self.rob_size or len(rs) >= self.rs_size:
            self.advance()
        fetch = self.fetch
        earliest = ready if ready > fetch else fetch
        if role == "compute":
            if self.in_order:
                earliest = max(earliest, self.last_issue)
            start = self.slot(form, earliest)
            heappush(rs, start)
        else:
            start = self.moved(form, earliest)
        done = start + latency
        end, last = self.end, self.last_issue
        self.end = done if done > end else end
        self.last_issue = start if start > last else last
        self.left -= form.slots
        rob.append(done)
        return start

    def moved(self, form: Form, earliest: int) -> int:
        """The cycle from ``earliest`` on in which a load or store starts; takes its buffers.

        It computes its address in the first cycle with a free unit for that, and takes port and
        slot then or later.
        """
        admitted = self.admitted(form)
        earliest = admitted if admitted > earliest else earliest
        if self.ordering != "none":
            earliest = max(earliest, self.ordered(form.role))
        if form.beyond:
            earliest = self.fillable(earliest)
        if self.in_order:
            earliest = max(earliest, self.last_issue)
        if self.addresses:
            earliest = self.addressed(earliest)
        start = self.slot(form, earliest)
        self.buffered(form, start + form.latency, start, admitted)
        return start

    def advance(self) -> None:
        """Moves the fetch cycle on: to the next one, or to where a full buffer has room again."""
        rob, rs = self.rob, self.rs
        self.purge()
        before = self.fetch
        fired = False
        if len(rs) >= self.rs_size:
            self.fetch = rs[0]
            self.mark(RS, before + 1, self.fetch)
            fired = True
        if len(rob) >= self.rob_size:
            since = self.fetch
            self.fetch = max(since, rob[0])
            self.mark(ROB, since + 1, self.fetch)
            fired = True
        if fired:
            self.purge()
            self.left = self.width
        elif self.left <= 0:
            self.fetch += 1
            # a node of more slots than are left holds the next cycles' as well
            self.left = min(self.width, self.left + self.width)

    def purge(self) -> None:
        """Takes out of reservation station and reorder buffer what has left them by now."""
        fetch, rs, rob = self.fetch, self.rs, self.rob
        while rs and rs[0] <= fetch:
            heappop(rs)
        while rob and rob[0] <= fetch:
            rob.popleft()

    def admitted(self, form: Form) -> int:
        """When the load or store buffer has an entry for the node."""
        load = form.role == "load"
        held = self.loads if load else self.stores
        size = self.core.load_buffer if load else self.core.store_buffer
        if size is None:
            return 0
        self.drop(held)
        if len(held) < size:
            return 0
        when = held[len(held) - size]
        self.mark(LB if load else SB, self.fetch + 1, when)
        return when

    def fillable(self, earliest: int) -> int:
        """When a line-fill buffer is free for a node that could start at ``earliest``."""
        size = self.core.line_fill
        if size is None:
            return earliest
        held = self.fills
        self.drop(held)
        if len(held) >= size and held[len(held) - size] > earliest:
            when = held[len(held) - size]
            self.mark(LFB, self.fetch + 1, when)
            return when
        return earliest

    def drop(self, held: list[int]) -> None:
        """Takes entries out that are done by the fetch cycle."""
        fetch, count = self.fetch, 0
        for done in held:
            if done > fetch:
                break
            count += 1
        if count:
            del held[:count]

    def ordered(self, role: str) -> int:
        """The first cycle that the memory ordering allows."""
        ordering = self.ordering
        if role == "load":
            return self.last_load if ordering == "x86" else max(self.last_load, self.last_store)
        return self.last_load if ordering == "arm" else max(self.last_load, self.last_store)

    def buffered(self, form: Form, done: int, start: int, admitted: int) -> None:
        """A load or store holds its buffers until it is done."""
        if form.role == "load":
            if self.core.load_buffer is not None:
                insort(self.loads, done)
            last = self.last_load
            self.last_load = start if start > last else last
        else:
            if self.core.store_buffer is not None:
                insort(self.stores, done)
            self.last_store = max(self.last_store, start)
        if form.beyond and self.core.line_fill is not None:
            insort(self.fills, done)
        if admitted > self.fetch:
            heappush(self.rs, admitted)

    def addressed(self, earliest: int) -> int:
        """The first cycle from ``earliest`` on with an address unit free; takes it."""
        relative = first_free(self.addresses[-1], earliest - self.origin)
        _count(self.addresses, 1 << relative)
        return relative + self.origin

    def slot(self, form: Form, earliest: int) -> int:
        """The first cycle from ``earliest`` on with ports and a slot of the class; takes them."""
        resource, latency, occupancy, holds, *_ = form
        relative = earliest - self.origin
        calendar, busy = self.classes[resource], self.ports
        blocked = 0
        if calendar:
            blocked = blocked_starts(calendar[-1], occupancy)
        for ports, cycles in holds:
            taken = -1
            for port in ports:
                taken &= blocked_starts(busy[port], cycles) if cycles > 1 else busy[port]
            blocked |= taken
        if blocked >> relative & 1:
            relative = first_free(blocked, relative)
        mine = ((1 << occupancy) - 1) << relative
        if calendar:
            _count(calendar, mine)
        for hold in holds:
            self.take(hold, relative)
        self.nodes[resource] += 1
        self.issue[resource] |= mine
        longest = latency if latency > occupancy else occupancy
        self.span[resource] |= ((1 << longest) - 1) << relative
        return relative + self.origin

    def take(self, hold: Hold, relative: int) -> None:
        """Holds the first port of a group that is free from cycle ``relative`` on.

        Where another hold of the same node has taken it, the first one that is free later.
        """
        busy = self.ports
        ports, cycles = hold
        mine = ((1 << cycles) - 1) << relative
        for port in ports:
            if not busy[port] & mine:
                busy[port] |= mine
                return
        taken = -1
        for port in ports:
            taken &= blocked_starts(busy[port], cycles)
        self.take(hold, first_free(taken, relative))

    def mark(self, buffer: int, first: int, end: int) -> None:
        """The cycles from ``first`` to before ``end`` are stalled by ``buffer``."""
        if end > first:
            self.stall[buffer] |= ((1 << (end - first)) - 1) << (first - self.origin)

    def cut(self, at: int) -> Segment:
        """The cycles from the origin to ``at``, which becomes the origin."""
        cycles = at - self.origin
        low = (1 << cycles) - 1
        segment = Segment(
            cycles=cycles,
            issue=tuple([marks & low for marks in self.issue]),
            span=tuple([marks & low for marks in self.span]),
            stall=tuple([marks & low for marks in self.stall]),
        )
        marked = (self.issue, self.span, self.stall, self.ports, self.addresses)
        for calendar in (*marked, *self.classes):
            calendar[:] = [marks >> cycles for marks in calendar]
        self.origin = at
        return segment

    def state(self, pending: object = ()) -> CoreState:
        """All that decides what follows; the fetch cycle must be the origin.

        ``pending`` are the results that are still under way, relative to the fetch cycle.
        """
        self.purge()
        fetch, last = self.fetch, (self.last_load, self.last_store, self.last_issue)
        return CoreState(
            outline=(
                self.left if self.core.fetch_width else 0,
                len(self.rob),
                *[cycle - fetch if cycle > fetch else 0 for cycle in last],
                tuple(self.ports),
                tuple([tuple(calendar) for calendar in self.classes]),
                tuple(self.addresses),
                tuple(self.issue),
                tuple(self.span),
                tuple(self.stall),
                pending,
            ),
            fetch=fetch,
            retiring=tuple(self.rob),
            held=(tuple(self.rs), tuple(self.loads), tuple(self.stores), tuple(self.fills)),
        )


def first_free(marks: int, relative: int) -> int:
    """The first cycle from ``relative`` on that is not one of ``marks``."""
    later = marks >> relative
    return relative + (~later & (later + 1)).bit_length() - 1 if later & 1 else relative


def blocked_starts(marks: int, cycles: int) -> int:
    """Where nothing of ``cycles`` length may start: it would meet one of ``marks``."""
    reach = 1
    while reach < cycles:
        step = min(reach, cycles - reach)
        marks |= marks >> step
        reach += step
    return marks


def _count(calendar: list[int], mine: int) -> None:
    """Counts one more in the cycles ``mine``: level k has the cycles with more than k nodes."""
    if len(calendar) > 1:
        for level in range(len(calendar) - 1, 0, -1):
            calendar[level] |= calendar[level - 1] & mine
    calendar[0] |= mine
