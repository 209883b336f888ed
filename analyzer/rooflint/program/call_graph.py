"""The calls between functions of a program, each with how often a call of its caller makes it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import log2
from typing import Final, Literal, TypeAlias

from rooflint.ir.equations import Equations, FunctionAddress, Term
from rooflint.program.callees.function_table import FunctionTable, ProgramFunction
from rooflint.program.callees.pointer_targets import PointerTargets
from rooflint.program.frequencies import NO_CHOICE, PlaceFrequencies, SwitchChoice
from rooflint.program.table_waits import TableWait
from rooflint.records import NamedTuple

_SORTED: Final = frozenset(("qsort", "qsort_r", "bsearch"))
"""Functions of the C library that take a number of elements two arguments before a function."""


CallForm: TypeAlias = Literal["direct", "indirect", "callback"]
"""``indirect``: through a pointer or of a virtual function; ``callback``: by a function outside of
the program, which the caller hands the callee to."""


class ProgramCall(NamedTuple):
    """A call; ``loop`` is the innermost one around it in the caller's file, or -1.

    ``frequency`` is that in one call of the caller; ``choice``: the ways of switches around.
    """

    caller: int
    callee: int
    loop: int
    frequency: float
    form: CallForm
    choice: SwitchChoice = NO_CHOICE


class OutsideCall(NamedTuple):
    """A call of a function without a body in the program."""

    caller: int
    name: str
    loop: int
    frequency: float


class CallGraph(NamedTuple):
    """Functions, and calls by their numbers."""

    functions: tuple[ProgramFunction, ...]
    calls: tuple[ProgramCall, ...]
    outside: tuple[OutsideCall, ...]


class FileCode(NamedTuple):
    """A file, how often its places run, the typical value of sizes of it, and waits for tables."""

    equations: Equations
    frequencies: PlaceFrequencies
    size: Callable[[Term], float]
    waits: tuple[TableWait, ...] = ()

    def waits_of_calls(self) -> Iterator[tuple[int, float]]:
        """Cycles that one call of a function waits for tables, by the position of its result."""
        for wait in self.waits:
            yield wait.function, self.frequencies.of_place(-1, wait.arm) * wait.cycles


class CallPlace(NamedTuple):
    """A place of a file that calls one of ``candidates``, however often it runs.

    name      that of a function without a body
    address   of the function that one outside of the program, the ``receiver``, calls back
    """

    caller: int
    candidates: tuple[int, ...]
    loop: int
    arm: int
    form: CallForm
    name: str = ""
    address: FunctionAddress | None = None
    receiver: str = ""

    @property
    def form_of_candidates(self) -> CallForm:
        """That of each of its calls: one of several is as one through a pointer."""
        return self.form if len(self.candidates) == 1 else "indirect"


def call_places(files: Sequence[Equations], table: FunctionTable) -> list[tuple[CallPlace, ...]]:
    """The calls of each file, which no size and no trip count changes."""
    pointers = PointerTargets(files)
    calls = [
        _FileCalls(number=number, file=file, table=table, pointers=pointers)
        for number, file in enumerate(files)
    ]
    return [(*each.direct(), *each.indirect(), *each.callbacks()) for each in calls]


def call_graph(
    files: Sequence[FileCode],
    places: Sequence[Sequence[CallPlace]],
    table: FunctionTable,
    taken: Mapping[str, float],
) -> CallGraph:
    """The calls of all functions; ``places``: those of each file.

    ``taken``: how likely a run takes the address of a function, by its key; a call through a
    pointer leads to one function as often as to another that is as likely, and to none where a run
    takes no address of them.
    """
    calls: list[ProgramCall] = []
    outside: list[OutsideCall] = []
    for code, own in zip(files, places, strict=True):
        for place in own:
            frequency = code.frequencies.of_place(place.loop, place.arm)
            if place.address is not None:
                frequency *= _calls_back(place.receiver, place.address, code)
            if place.candidates:
                calls += _calls_at(place, frequency, code, _parts(place, table, taken))
            elif place.name:
                outside.append(
                    OutsideCall(
                        caller=place.caller, name=place.name, loop=place.loop, frequency=frequency
                    )
                )
    return CallGraph(tuple(table.functions), tuple(calls), tuple(outside))


def _calls_at(
    place: CallPlace, frequency: float, code: FileCode, parts: Iterable[float]
) -> list[ProgramCall]:
    direct = place.form == "direct"
    choice = code.frequencies.choice_at(place.arm) if direct else NO_CHOICE
    return [
        ProgramCall(
            caller=place.caller,
            callee=callee,
            loop=place.loop,
            frequency=frequency * part,
            form=place.form_of_candidates,
            choice=choice,
        )
        for callee, part in zip(place.candidates, parts, strict=True)
    ]


def _parts(site: CallPlace, table: FunctionTable, taken: Mapping[str, float]) -> list[float]:
    """The parts of a call that its candidates have: equal ones but through a pointer."""
    count = len(site.candidates)
    if site.form != "indirect":
        return [1 / count] * count
    likely = [taken.get(table.functions[each].key, 0.0) for each in site.candidates]
    whole = sum(likely) or 1.0
    return [each / whole for each in likely]


def taken_addresses(
    files: Sequence[FileCode], table: FunctionTable, executions: Mapping[int, float]
) -> Mapping[str, float]:
    """How likely a run takes the address of each function, by its key.

    ``executions``: of functions in a run. What stands outside of functions is there in all of them.
    """
    taken: dict[str, float] = {}
    for code, own in zip(files, table.own, strict=True):
        file = code.equations
        for address in file.addresses:
            likely = 1.0
            if address.caller >= 0:
                caller = own.get(file.quantities[address.caller].key, -1)
                place = code.frequencies.of_place(address.loop, address.arm)
                likely = min(1.0, executions.get(caller, 0.0)) * min(1.0, place)
            key = file.quantities[address.function].key
            taken[key] = max(taken.get(key, 0.0), likely)
    return taken


class _FileCalls(NamedTuple):
    """The calls of the file of this ``number``."""

    number: int
    file: Equations
    table: FunctionTable
    pointers: PointerTargets

    def direct(self) -> Iterator[CallPlace]:
        """Calls by name."""
        for call in self.file.calls:
            caller = self._caller(call.caller)
            if caller is not None:
                callee = self.file.quantities[call.callee]
                yield CallPlace(
                    caller=caller,
                    candidates=self._candidates([callee.key]),
                    loop=call.loop,
                    arm=call.arm,
                    form="direct",
                    name=callee.name,
                )

    def indirect(self) -> Iterator[CallPlace]:
        """Calls through pointers, and of virtual functions."""
        for pointer in self.file.pointer_calls:
            caller = self._caller(pointer.caller)
            if caller is not None:
                yield CallPlace(
                    caller=caller,
                    candidates=self._candidates(self.pointers.of_call(pointer)),
                    loop=pointer.loop,
                    arm=pointer.arm,
                    form="indirect",
                )

    def callbacks(self) -> Iterator[CallPlace]:
        """Calls that functions outside of the program make of those that they are given."""
        for address in self.file.addresses:
            caller = self._caller(address.caller)
            if caller is None or address.receiver < 0:
                continue
            receiver = self.file.quantities[address.receiver]
            if not self._candidates([receiver.key]):
                yield CallPlace(
                    caller=caller,
                    candidates=self._candidates([self.file.quantities[address.function].key]),
                    loop=address.loop,
                    arm=address.arm,
                    form="callback",
                    address=address,
                    receiver=receiver.name,
                )

    def _caller(self, position: int) -> int | None:
        if position < 0:
            return None
        return self.table.own[self.number].get(self.file.quantities[position].key)

    def _candidates(self, keys: Iterable[str]) -> tuple[int, ...]:
        candidates = self.table.candidates
        return tuple({one: None for key in keys for one in candidates(self.number, key)})


def _calls_back(receiver: str, address: FunctionAddress, code: FileCode) -> float:
    """How often a function outside of the program calls the one that it is given."""
    if receiver not in _SORTED or address.count is None:
        return 1.0
    elements = max(2.0, code.size(address.count))
    return log2(elements) * (1.0 if receiver == "bsearch" else elements)
