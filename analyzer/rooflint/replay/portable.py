"""The replay in Python: the algorithm of ``kernel.c`` where no compiled kernel loads."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from rooflint.records import NamedTuple
from rooflint.replay.arithmetic import Evaluator, UndefinedValueError
from rooflint.replay.caches import (
    COLUMNS,
    ReplayCounts,
    ReplayLevel,
    ReplaySettings,
    ReplayStatus,
)
from rooflint.replay.counter_rows import CounterRows
from rooflint.replay.moving import MovingReference
from rooflint.replay.portable_levels import EVICTS, MISSES, PASSED, CacheLevels
from rooflint.replay.program import (
    UNKNOWN_VALUE,
    AccessProgram,
    ExitKind,
    ProgramNode,
    ReferenceKind,
)

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
        remaining = state.levels.remaining()
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
        self._combining: dict[int, int] = {}
        self.levels = CacheLevels(levels, settings, self.references)
        self._ways = levels[0].ways
        self._shift = settings.line_bytes.bit_length() - 1
        self._slots = [0] * program.slots
        self._values = Evaluator(program.code, self._slots)
        self._nodes: dict[int, Callable[[Sequence[int], int], ExitKind]] = {
            ProgramNode.SEQUENCE: self._sequence,
            ProgramNode.LOOP: self._loop,
            ProgramNode.WALK: self._walks,
            ProgramNode.REPEAT: self._repeats,
            ProgramNode.ACCESSES: self._accesses,
            ProgramNode.BRANCH: self._branch,
            ProgramNode.EXIT: lambda code, at: ExitKind(code[at + 1]),
            ProgramNode.ASSIGN: self._assign,
        }

    def run(self, *, first: bool) -> list[int]:
        """One run of the program; its counters."""
        leaving = None if first else self._disturb()
        self.levels.counters = self.levels.zero_counters()
        if leaving is not None:
            self.levels.counters.add(EVICTS, leaving)
        self._node(self._program.root)
        return self.levels.counters.flat()

    def _disturb(self) -> CounterRows:
        self.levels.counters = self.levels.zero_counters()
        for line in range(_FOREIGN, _FOREIGN + self._settings.between_lines):
            if self._is_chosen(line):
                self.levels.use_half(line)
                self.levels.request(0, line, 0, modifies=False)
                self._spend(1)
        return self.levels.counters

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

    def _index_values(self, code: Sequence[int], at: int) -> range:
        lower, upper, step = [self._values.at(each) for each in code[at + 2 : at + 5]]
        if step == 0:
            raise UndefinedValueError
        return range(lower, upper, step)

    def _loop(self, code: Sequence[int], at: int) -> ExitKind:
        for value in self._index_values(code, at):
            self._slots[code[at + 1]] = value
            self._spend(1)
            signal = self._node(code[at + 5])
            if signal is ExitKind.BREAK:
                break
            if signal is ExitKind.RETURN:
                return signal
        return ExitKind.GO_ON

    def _walks(self, code: Sequence[int], at: int) -> ExitKind:
        values = self._index_values(code, at)
        if values:
            self._slots[code[at + 1]] = values[0]
            self._walk(code, at, len(values))
        return ExitKind.GO_ON

    def _repeats(self, code: Sequence[int], at: int) -> ExitKind:
        values = self._index_values(code, at)
        if values:
            self._slots[code[at + 1]] = values[0]
            self._repeat(code[at + 5], len(values))
        return ExitKind.GO_ON

    def _repeat(self, body: int, trips: int) -> None:
        """Iterations that all ask for the same lines: see ``run_repeats`` of the kernel."""
        change: list[int] = []
        for played in range(1, trips + 1):
            before, last = self.levels.counters.flat(), change
            self._spend(1)
            self._node(body)
            change = [n - o for n, o in zip(self.levels.counters.flat(), before, strict=True)]
            if played >= len(self.levels) + 2 and change == last:
                self.levels.counters.add_all(change, trips - played)
                return

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
        return line % self._settings.modulus in self.levels.halves

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
        if repeats == 1 or (self.levels.keeps_stores and len(touches) < self._ways):
            taken = self.levels.taken
            self._play_once(touches)
            repeats -= 1
            if not repeats or self.levels.taken == taken:
                return
        self._play_passes(touches, repeats)

    def _play_passes(self, touches: list[_Touch], repeats: int) -> None:
        lead = min(repeats, len(self.levels) + 2) if self.levels.is_plain else repeats
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

    def _pass_by(self, line: int, reference: int) -> None:
        """Stores to a line combine until the reference goes on to another one."""
        if self._combining.get(reference) != line:
            self._combining[reference] = line
            self.levels.pass_by(line, reference)

    def _without_nontemporal(self, touches: list[_Touch]) -> list[_Touch]:
        """Stores past the caches combine until their line is full."""
        kept: list[_Touch] = []
        for touch in touches:
            if self._kinds[touch.reference] & ReferenceKind.NONTEMPORAL:
                self.levels.use_half(touch.line)
                self._pass_by(touch.line, touch.reference)
            else:
                kept.append(touch)
        return kept

    def _add_repeats(self, old: _Rows, repeats: int) -> None:
        for (half, level, reference), row in old.items():
            self.levels.counters.half = half
            now = self.levels.counters.row(level, reference)
            now[:] = [n + (n - o) * repeats for n, o in zip(now, row, strict=True)]

    def _copied(self, touches: list[_Touch]) -> _Rows:
        rows: _Rows = {}
        for touch in touches:
            self.levels.use_half(touch.line)
            for level in range(len(self.levels)):
                row = self.levels.counters.row(level, touch.reference)
                rows[self.levels.counters.half, level, touch.reference] = row.copy()
        return rows

    def _first_misses(self, touches: list[_Touch]) -> int:
        column = self.levels.counters.column
        return sum([column(MISSES, 0, t.reference) + column(PASSED, 0, t.reference)
                    for t in touches])  # fmt: skip

    def _play_once(self, touches: list[_Touch]) -> None:
        for line, reference in touches:
            kind = self._kinds[reference]
            self.levels.use_half(line)
            if kind & ReferenceKind.NONTEMPORAL:
                self._pass_by(line, reference)
            else:
                self.levels.request(0, line, reference, modifies=bool(kind & ReferenceKind.WRITES))
        self._spend(len(touches))
