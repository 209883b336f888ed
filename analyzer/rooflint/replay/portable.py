"""The replay in Python: the algorithm of ``kernel.c`` where no compiled kernel loads."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final, TypeAlias

from rooflint.records import NamedTuple
from rooflint.replay.arithmetic import Evaluator, UndefinedValueError
from rooflint.replay.caches import (
    COLUMNS,
    PLAIN,
    LevelPolicy,
    ReplayCounts,
    ReplayLevel,
    ReplaySettings,
    ReplayStatus,
)
from rooflint.replay.counter_rows import CounterRows
from rooflint.replay.moving import MovingReference
from rooflint.replay.program import (
    UNKNOWN_VALUE,
    AccessProgram,
    ExitKind,
    ProgramNode,
    ReferenceKind,
)
from rooflint.replay.stack import new_stack

_MISSES, _EVICTS, _PASSED, _AT_EDGE, _BEYOND_EDGE, _ = range(COLUMNS)
_FOREIGN: Final = 1 << 56
"""The first line that other code touches."""


_Rows: TypeAlias = dict[tuple[int, int, int], list[int]]
"""Counters by half, level and reference."""


class _LimitError(Exception):
    """The work is done."""


class _Touch(NamedTuple):
    line: int
    reference: int


def replay(
    program: AccessProgram, levels: Sequence[ReplayLevel], settings: ReplaySettings
) -> ReplayCounts:
    """Counts of a program on caches that are empty at its first run."""
    state = _Replay(program, levels, settings)
    status = ReplayStatus.OK
    size = (settings.runs + 1) * settings.halves * len(levels) * state.references * COLUMNS
    if settings.windows:
        return ReplayCounts(
            status=ReplayStatus.INVALID,
            work=0,
            levels=len(levels),
            references=state.references,
            counters=[0] * size,
        )
    try:
        counters = state.run(first=True)
        remaining = state.remaining()
        for _ in range(1, settings.runs):
            counters += state.run(first=False)
        counters += remaining
    except _LimitError:
        status, counters = ReplayStatus.LIMIT, []
    except UndefinedValueError:
        status, counters = ReplayStatus.UNDEFINED, []
    return ReplayCounts(
        status=status,
        work=state.work,
        levels=len(levels),
        references=state.references,
        counters=counters or [0] * size,
        halves=settings.halves,
    )


class _Replay:
    """The state of all caches, and the counters of the present run."""

    def __init__(
        self, program: AccessProgram, levels: Sequence[ReplayLevel], settings: ReplaySettings
    ) -> None:
        self.references = max(1, len(program.references))
        self.work = 0
        self._program = program
        self._settings = settings
        self._kinds = [each.kind for each in program.references]
        self._widths = [each.bytes for each in program.references]
        self._policies = [each.policy for each in levels]
        self._stacks = [new_stack(each) for each in levels]
        self._ways = levels[0].ways
        self._plain = all(each | LevelPolicy.HASHED == PLAIN | LevelPolicy.HASHED
                          for each in self._policies)  # fmt: skip
        self._shift = settings.line_bytes.bit_length() - 1
        self._slots = [0] * program.slots
        self._values = Evaluator(program.code, self._slots)
        self._counters = self._zeroed()
        self._halves: dict[int, int] = {}
        for number, each in enumerate(settings.classes):
            self._halves[each % settings.modulus] = number % settings.halves
        self._nodes: dict[int, Callable[[Sequence[int], int], ExitKind]] = {
            ProgramNode.SEQUENCE: self._sequence,
            ProgramNode.LOOP: self._loop,
            ProgramNode.WALK: self._loop,
            ProgramNode.ACCESSES: self._accesses,
            ProgramNode.BRANCH: self._branch,
            ProgramNode.EXIT: lambda code, at: ExitKind(code[at + 1]),
            ProgramNode.ASSIGN: self._assign,
        }

    def run(self, *, first: bool) -> list[int]:
        """One run of the program; its counters."""
        leaving = None if first else self._disturb()
        self._counters = self._zeroed()
        if leaving is not None:
            self._counters.add(_EVICTS, leaving)
        self._node(self._program.root)
        return self._counters.flat()

    def remaining(self) -> list[int]:
        """Lines dirty now: they cross all links from the nearest level that has them."""
        self._counters = self._zeroed()
        seen: set[int] = set()
        for level, stack in enumerate(self._stacks):
            for line, owner in stack.dirty():
                if line not in seen:
                    seen.add(line)
                    self._use_half(line)
                    for below in range(level, len(self._stacks)):
                        self._counters.row(below, owner - 1)[_EVICTS] += 1
        return self._counters.flat()

    def _zeroed(self) -> CounterRows:
        return CounterRows(self._settings.halves, len(self._stacks), self.references)

    def _use_half(self, line: int) -> None:
        self._counters.half = self._halves[line % self._settings.modulus]

    def _disturb(self) -> CounterRows:
        self._counters = self._zeroed()
        for line in range(_FOREIGN, _FOREIGN + self._settings.between_lines):
            if self._is_chosen(line):
                self._use_half(line)
                self._request(0, line, 0, modifies=False)
                self._spend(1)
        return self._counters

    def _spend(self, work: int) -> None:
        self.work += work
        if self.work > self._settings.limit:
            raise _LimitError

    # nodes

    def _node(self, at: int) -> ExitKind:
        code = self._program.code
        return self._nodes[code[at]](code, at)

    def _sequence(self, code: Sequence[int], at: int) -> ExitKind:
        for position in code[at + 2 : at + 2 + code[at + 1]]:
            signal = self._node(position)
            if signal is not ExitKind.GO_ON:
                return signal
        return ExitKind.GO_ON

    def _assign(self, code: Sequence[int], at: int) -> ExitKind:
        self._slots[code[at + 1]] = self._values.at(code[at + 2])
        return ExitKind.GO_ON

    def _branch(self, code: Sequence[int], at: int) -> ExitKind:
        condition, then, orelse, assumed = code[at + 1 : at + 5]
        taken = self._values.at(condition)
        if taken != UNKNOWN_VALUE:
            return self._node(then if taken else orelse)
        # nothing leaves a loop where only the data could say so
        for number, side in enumerate((then, orelse)):
            if assumed in (number, 2):
                self._node(side)
        return ExitKind.GO_ON

    def _loop(self, code: Sequence[int], at: int) -> ExitKind:
        slot = code[at + 1]
        lower, upper, step = [self._values.at(each) for each in code[at + 2 : at + 5]]
        if step == 0:
            raise UndefinedValueError
        values = range(lower, upper, step)
        if not values:
            return ExitKind.GO_ON
        if code[at] == ProgramNode.WALK:
            self._slots[slot] = lower
            self._walk(code, at, len(values))
            return ExitKind.GO_ON
        for value in values:
            self._slots[slot] = value
            self._spend(1)
            signal = self._node(code[at + 5])
            if signal is ExitKind.BREAK:
                break
            if signal is ExitKind.RETURN:
                return signal
        return ExitKind.GO_ON

    def _accesses(self, code: Sequence[int], at: int) -> ExitKind:
        touches: list[_Touch] = []
        for place in range(at + 2, at + 2 + 2 * code[at + 1], 2):
            touches += self._touches(self._values.at(code[place]), code[place + 1])
        if touches:
            self._play_once(touches)
        return ExitKind.GO_ON

    def _walk(self, code: Sequence[int], at: int, trips: int) -> None:
        moving = list(self._moving(code, at))
        following = [each.steps(self._is_chosen) if each.stride else trips for each in moving]
        trip = 0
        while True:
            until = min([trips, *following])
            self._spend(1)
            touches = [t for m in moving for t in self._touches(m.address, m.reference)]
            self._play(touches, until - trip)
            if until >= trips:
                return
            moving = [each.after(until - trip) for each in moving]
            for number, each in enumerate(moving):
                if following[number] == until:
                    following[number] = until + each.steps(self._is_chosen)
            trip = until

    def _moving(self, code: Sequence[int], at: int) -> Iterator[MovingReference]:
        for place in range(at + 6, at + 6 + 3 * code[at + 5], 3):
            address, stride, reference = code[place : place + 3]
            yield MovingReference(
                address=self._values.at(address),
                stride=self._values.at(stride),
                bytes=self._widths[reference],
                reference=reference,
                shift=self._shift,
                modulus=self._settings.modulus,
            )

    def _is_chosen(self, line: int) -> bool:
        return line % self._settings.modulus in self._halves

    def _touches(self, address: int, reference: int) -> Iterator[_Touch]:
        last = (address + self._widths[reference] - 1) >> self._shift
        for line in range(address >> self._shift, last + 1):
            if self._is_chosen(line):
                yield _Touch(line, reference)

    # passes

    def _play(self, touches: list[_Touch], repeats: int) -> None:
        """The same touches so often; see ``play`` of the kernel."""
        if repeats > 1:
            touches = self._without_nontemporal(touches)
        if not touches:
            return
        if self._plain and len(touches) < self._ways:
            self._play_once(touches)
            return
        lead = min(repeats, len(self._stacks) + 2) if self._plain else repeats
        old: _Rows = {}
        number = 0
        while number < lead:
            before = self._first_misses(touches)
            if number + 1 == lead:
                old = self._copied(touches)
            self._play_once(touches)
            number += 1
            if lead > number + 1 and self._first_misses(touches) == before:
                lead = number + 1
        self._add_repeats(old, repeats - lead)

    def _without_nontemporal(self, touches: list[_Touch]) -> list[_Touch]:
        """Stores past the caches combine until their line is full."""
        kept: list[_Touch] = []
        for touch in touches:
            if self._kinds[touch.reference] & ReferenceKind.NONTEMPORAL:
                self._use_half(touch.line)
                self._past_the_caches(touch.line, touch.reference)
            else:
                kept.append(touch)
        return kept

    def _add_repeats(self, old: _Rows, repeats: int) -> None:
        for (half, level, reference), row in old.items():
            self._counters.half = half
            now = self._counters.row(level, reference)
            now[:] = [n + (n - o) * repeats for n, o in zip(now, row, strict=True)]

    def _copied(self, touches: list[_Touch]) -> _Rows:
        rows: _Rows = {}
        for touch in touches:
            self._use_half(touch.line)
            for level in range(len(self._stacks)):
                row = self._counters.row(level, touch.reference)
                rows[self._counters.half, level, touch.reference] = row.copy()
        return rows

    def _first_misses(self, touches: list[_Touch]) -> int:
        column = self._counters.column
        return sum([column(_MISSES, 0, t.reference) + column(_PASSED, 0, t.reference)
                    for t in touches])  # fmt: skip

    def _play_once(self, touches: list[_Touch]) -> None:
        for line, reference in touches:
            kind = self._kinds[reference]
            self._use_half(line)
            if kind & ReferenceKind.NONTEMPORAL:
                self._past_the_caches(line, reference)
            else:
                self._request(0, line, reference, modifies=bool(kind & ReferenceKind.WRITES))
        self._spend(len(touches))

    def _past_the_caches(self, line: int, reference: int) -> None:
        for stack in self._stacks:
            stack.remove(line)
        self._counters.row(-1, reference)[_EVICTS] += 1

    # levels

    def _request(self, level: int, line: int, reference: int, *, modifies: bool) -> int:
        """The line is needed at a level; its owner if it comes dirty from a victim cache."""
        if level == len(self._stacks):
            return 0
        stack, policy = self._stacks[level], self._policies[level]
        depth = stack.use(line)
        if depth is not None and depth < stack.ways:
            if policy & LevelPolicy.VICTIM:
                return stack.remove(line)
            self._counters.row(level, reference)[_AT_EDGE] += depth == stack.ways - 1
            if modifies and policy & LevelPolicy.WRITE_BACK:
                stack.own(line, reference + 1)
            elif modifies:
                self._pass_on(level, line, reference)
            return 0
        if modifies and not policy & LevelPolicy.WRITE_ALLOCATE:
            self._pass_on(level, line, reference)
            return 0
        self._counters.row(level, reference)[_BEYOND_EDGE] += depth == stack.ways
        return self._fetch(level, line, reference, modifies=modifies)

    def _fetch(self, level: int, line: int, reference: int, *, modifies: bool) -> int:
        """A miss at a level that takes the line; a victim cache only hands it on."""
        self._counters.row(level, reference)[_MISSES] += 1
        dirty = self._request(level + 1, line, reference, modifies=False)
        if self._policies[level] & LevelPolicy.VICTIM:
            return dirty
        keeps = modifies and bool(self._policies[level] & LevelPolicy.WRITE_BACK)
        self._place(level, line, reference + 1 if keeps else dirty)
        if modifies and not keeps:
            self._pass_on(level, line, reference)
        return 0

    def _pass_on(self, level: int, line: int, reference: int) -> None:
        self._counters.row(level, reference)[_PASSED] += 1
        self._request(level + 1, line, reference, modifies=True)

    def _place(self, level: int, line: int, owner: int) -> None:
        left = self._stacks[level].insert(line, owner)
        if left is None:
            return
        gone, dirty = left
        if self._policies[level] & LevelPolicy.INCLUSIVE:
            for nearer, stack in enumerate(islice(self._stacks, level)):
                nearer_owner = stack.remove(gone)
                if nearer_owner:
                    self._counters.row(nearer, nearer_owner - 1)[_EVICTS] += 1
                    dirty = nearer_owner
        below = level + 1
        if below < len(self._stacks) and self._policies[below] & LevelPolicy.VICTIM:
            if dirty:
                self._counters.row(level, dirty - 1)[_EVICTS] += 1
            self._place(below, gone, dirty)
        elif dirty:
            self._write_back(level, gone, dirty)

    def _write_back(self, level: int, line: int, owner: int) -> None:
        """A dirty line goes to the next level that has it, else to memory."""
        for at in range(level, len(self._stacks)):
            self._counters.row(at, owner - 1)[_EVICTS] += 1
            below = at + 1
            if below == len(self._stacks) or not self._policies[below] & LevelPolicy.WRITE_BACK:
                continue
            if line in self._stacks[below]:
                self._stacks[below].own(line, owner)
                return
