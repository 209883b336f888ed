"""The calls between functions of a program, each with how often a call of its caller makes it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import log2
from typing import Final, Literal, TypeAlias

from rooflint.ir.equations import Equations, FunctionAddress, Term
from rooflint.ir.unit import Span
from rooflint.program.frequencies import NO_CHOICE, PlaceFrequencies, SwitchChoice
from rooflint.program.table_waits import TableWait
from rooflint.records import NamedTuple

_SORTED: Final = frozenset(("qsort", "qsort_r", "bsearch"))
"""Functions of the C library that take a number of elements two arguments before a function."""


class ProgramFunction(NamedTuple):
    """A function with a body; ``file`` is the number of the file whose copy of it counts.

    ``span`` is None in a header.
    """

    key: str
    name: str
    path: str
    file: int
    span: Span | None
    entry: bool


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


class FunctionTable:
    """The functions of a program: by file and key, since programs of one run may share names."""

    def __init__(self, files: Sequence[Equations]) -> None:
        self.functions: list[ProgramFunction] = []
        self.own: list[dict[str, int]] = [{} for _ in files]
        self._by_key: dict[str, list[int]] = {}
        self._overriders: dict[str, dict[str, None]] = {}
        self._candidates: dict[tuple[int, str], list[int]] = {}
        for number, file in enumerate(files):
            self._enter(number, file)

    def _enter(self, number: int, file: Equations) -> None:
        for function in file.functions:
            quantity = file.quantities[function.result]
            copies = self._by_key.setdefault(quantity.key, [])
            if (function.header and copies) or quantity.key in self.own[number]:
                continue
            position = self.own[number][quantity.key] = len(self.functions)
            copies.append(position)
            self.functions.append(
                ProgramFunction(
                    key=quantity.key,
                    name=quantity.name,
                    path=function.header or file.path,
                    file=number,
                    span=function.span,
                    entry=function.entry,
                )
            )
            for base in function.overrides:
                overriders = self._overriders.setdefault(file.quantities[base].key, {})
                overriders[quantity.key] = None

    def candidates(self, file: int, key: str) -> list[int]:
        """The bodies that a call of the function may run: its own file's, and overriders."""
        place = file, key
        if place not in self._candidates:
            self._candidates[place] = self._bodies(file, key)
        return self._candidates[place]

    def _bodies(self, file: int, key: str) -> list[int]:
        found: dict[int, None] = {}
        waiting, seen = [key], {key}
        while waiting:
            each = waiting.pop()
            own = self.own[file].get(each)
            found.update(dict.fromkeys(self._by_key.get(each, ()) if own is None else (own,)))
            fresh = [one for one in self._overriders.get(each, ()) if one not in seen]
            seen.update(fresh)
            waiting += fresh
        return list(found)


def call_graph(
    files: Sequence[FileCode], table: FunctionTable, taken: Mapping[str, float]
) -> CallGraph:
    """The calls of all functions.

    ``taken``: how likely a run takes the address of a function, by its key; a call through a
    pointer leads to one function as often as to another that is as likely, and to none where a run
    takes no address of them.
    """
    addressed = addressed_functions([file.equations for file in files])
    calls: list[ProgramCall] = []
    outside: list[OutsideCall] = []
    for number, file in enumerate(files):
        for site in _sites(number, file, table, addressed):
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


def addressed_functions(files: Iterable[Equations]) -> dict[str, dict[str, None]]:
    """Keys of the functions that pointers of a type may lead to."""
    addressed: dict[str, dict[str, None]] = {}
    for file in files:
        for address in file.addresses:
            keys = addressed.setdefault(address.signature, {})
            keys[file.quantities[address.function].key] = None
    return addressed


def _sites(
    number: int, code: FileCode, table: FunctionTable, addressed: dict[str, dict[str, None]]
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
                candidates=candidates(addressed.get(pointer.signature, ())),
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
