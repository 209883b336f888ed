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


def call_graph(
    files: Sequence[FileCode], table: FunctionTable, taken: Mapping[str, float]
) -> CallGraph:
    """The calls of all functions.

    ``taken``: how likely a run takes the address of a function, by its key; a call through a
    pointer leads to one function as often as to another that is as likely, and to none where a run
    takes no address of them.
    """
    pointers = PointerTargets([file.equations for file in files])
    calls: list[ProgramCall] = []
    outside: list[OutsideCall] = []
    for number, file in enumerate(files):
        for site in _sites(number, file, table, pointers):
            if site.candidates:
                parts = _parts(site, table, taken)
                calls += [
                    ProgramCall(
                        caller=site.caller,
                        callee=callee,
                        loop=site.loop,
                        frequency=site.frequency * part,
                        form=site.form if len(site.candidates) == 1 else "indirect",
                        choice=site.choice,
                    )
                    for callee, part in zip(site.candidates, parts, strict=True)
                ]
            elif site.name:
                outside.append(
                    OutsideCall(
                        caller=site.caller,
                        name=site.name,
                        loop=site.loop,
                        frequency=site.frequency,
                    )
                )
    return CallGraph(tuple(table.functions), tuple(calls), tuple(outside))


def _parts(site: "_Site", table: FunctionTable, taken: Mapping[str, float]) -> list[float]:
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


class _Site(NamedTuple):
    """A place that calls one of ``candidates``; ``name`` that of a function without a body."""

    caller: int
    candidates: list[int]
    loop: int
    frequency: float
    form: CallForm
    name: str = ""
    choice: SwitchChoice = NO_CHOICE


def _sites(
    number: int, code: FileCode, table: FunctionTable, pointers: PointerTargets
) -> Iterator[_Site]:
    file, own = code.equations, table.own[number]

    def caller_of(position: int) -> int | None:
        return own.get(file.quantities[position].key) if position >= 0 else None

    def candidates(keys: Iterable[str]) -> list[int]:
        return list({one: None for key in keys for one in table.candidates(number, key)})

    for call in file.calls:
        caller = caller_of(call.caller)
        if caller is not None:
            callee = file.quantities[call.callee]
            yield _Site(
                caller=caller,
                candidates=candidates([callee.key]),
                loop=call.loop,
                frequency=code.frequencies.of_place(call.loop, call.arm),
                form="direct",
                name=callee.name,
                choice=code.frequencies.choice_at(call.arm),
            )
    for pointer in file.pointer_calls:
        caller = caller_of(pointer.caller)
        if caller is not None:
            yield _Site(
                caller=caller,
                candidates=candidates(pointers.of_call(pointer)),
                loop=pointer.loop,
                frequency=code.frequencies.of_place(pointer.loop, pointer.arm),
                form="indirect",
            )
    for address in file.addresses:
        caller = caller_of(address.caller)
        if caller is None or address.receiver < 0:
            continue
        receiver = file.quantities[address.receiver]
        if not candidates([receiver.key]):
            place = code.frequencies.of_place(address.loop, address.arm)
            yield _Site(
                caller=caller,
                candidates=candidates([file.quantities[address.function].key]),
                loop=address.loop,
                frequency=place * _calls_back(receiver.name, address, code),
                form="callback",
            )


def _calls_back(receiver: str, address: FunctionAddress, code: FileCode) -> float:
    """How often a function outside of the program calls the one that it is given."""
    if receiver not in _SORTED or address.count is None:
        return 1.0
    elements = max(2.0, code.size(address.count))
    return log2(elements) * (1.0 if receiver == "bsearch" else elements)
