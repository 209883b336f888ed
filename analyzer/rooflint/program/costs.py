"""Crude costs of code without a machine: operators of functions, by the loop that they lie in."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from rooflint.ir.equations import WorkSite
from rooflint.program.call_graph import CallGraph, FileCode, ProgramCall
from rooflint.program.callees.function_table import FunctionTable, ProgramFunction
from rooflint.program.components import components
from rooflint.scenario.roles import names_set_up

_CALL: Final = 4.0
"""Operators that a call costs beside its body: arguments, jump, and return."""
_DIVISION: Final = 8.0
"""Operators that a division costs: 4 to 20 cycles against one half (x86 server cores)."""
_ACCESSOR: Final = 4.0
"""Operators of a function that compilers inline without trace, so that profilers credit its time to
its caller."""

LoopCosts = dict[int, float]

SHORT_RUN: Final = 3e6
"""Cycles or crude operators, about 1 ms: a shorter entry matters to those alone who call it often,
which nobody knows of a library (judged)."""
USES: Final = 10
"""Of an object that is made once: as many as the typical number of time steps."""
SHORT_PART: Final = 1e-4
"""The same as a part of the longest entry: where all are short, they are kernels (judged)."""


class FunctionCosts:
    """Operators of one call of each function, by loop of its file; -1 is outside of loops.

    A call of an ``accessor`` is part of its caller. ``of_callees``: what the calls in a loop cost
    beside that, with all that they call in turn; a call within a recursion counts nothing.
    ``of_loopless``: the part of that in functions without a loop, up to those with one.
    """

    def __init__(self, codes: Sequence[FileCode], table: FunctionTable, graph: CallGraph) -> None:
        self.by_loop: list[LoopCosts] = [{} for _ in graph.functions]
        self.of_callees: list[LoopCosts] = [{} for _ in graph.functions]
        self.of_loopless: list[LoopCosts] = [{} for _ in graph.functions]
        self._whole = [0.0] * len(graph.functions)
        self._loopless = [0.0] * len(graph.functions)
        self.accessors: set[int] = set()
        self._calls: list[list[ProgramCall]] = [[] for _ in graph.functions]
        for call in graph.calls:
            self._calls[call.caller].append(call)
        self._pointed = {call.callee for call in graph.calls if call.form != "direct"}
        for code, own in zip(codes, table.own, strict=True):
            self._add_work(code, own)
        for outside in graph.outside:
            self._add(outside.caller, outside.loop, outside.frequency * _CALL)
        self._add_calls(_functions_with_loops(codes, table))

    def of_call(self, function: int) -> float:
        """Operators of one call."""
        return sum(self.by_loop[function].values())

    def of_calls(self) -> list[float]:
        """Operators of one call of each function; none of an accessor."""
        return [
            0.0 if number in self.accessors else self.of_call(number)
            for number in range(len(self.by_loop))
        ]

    def _add_work(self, code: FileCode, own: Mapping[str, int]) -> None:
        for site in code.equations.work:
            function = own.get(code.equations.quantities[site.function].key)
            if function is not None:
                cost = code.frequencies.of_place(site.loop, site.arm) * site_operators(site)
                self._add(function, site.loop, cost)

    def _add(self, function: int, loop: int, operators: float) -> None:
        costs = self.by_loop[function]
        costs[loop] = costs.get(loop, 0.0) + operators

    def _add_calls(self, with_loops: set[int]) -> None:
        """Adds what calls cost their callers, callees first."""
        done: set[int] = set()
        for start in range(len(self._calls)):
            if start in done:
                continue
            for component in components(start, self._callees, done):
                done.update(component)
                for function in component:
                    self._add_calls_of(function, loopless=function not in with_loops)
                    small = self.of_call(function) <= _ACCESSOR
                    inlined = len(component) == 1 and function not in self._pointed
                    if small and inlined and function not in with_loops:
                        self.accessors.add(function)

    def _callees(self, function: int) -> list[int]:
        return sorted({call.callee for call in self._calls[function]})

    def _add_calls_of(self, function: int, *, loopless: bool) -> None:
        callees, straight = self.of_callees[function], self.of_loopless[function]
        for call in self._calls[function]:
            inlined = call.callee in self.accessors
            if call.form != "callback":  # else somebody else calls
                cost = self.of_call(call.callee) if inlined else _CALL
                self._add(function, call.loop, call.frequency * cost)
            # what an inlined function calls in turn is called from its caller
            own = self.of_call(call.callee) if inlined else 0.0
            whole = call.frequency * (self._whole[call.callee] - own)
            callees[call.loop] = callees.get(call.loop, 0.0) + max(0.0, whole)
            plain = call.frequency * (self._loopless[call.callee] - own)
            straight[call.loop] = straight.get(call.loop, 0.0) + max(0.0, plain)
        self._whole[function] = self.of_call(function) + sum(callees.values())
        if loopless:
            self._loopless[function] = self.of_call(function) + sum(straight.values())


def _functions_with_loops(codes: Sequence[FileCode], table: FunctionTable) -> set[int]:
    return {
        own[key]
        for code, own in zip(codes, table.own, strict=True)
        for key in {code.equations.quantities[loop.function].key for loop in code.equations.loops}
        if key in own
    }


def site_operators(site: WorkSite) -> float:
    """Operators of a place of a function, with what its divisions count as."""
    return site.operators + site.accesses + _DIVISION * site.divisions


def whole_times(
    entries: Sequence[ProgramFunction | None], times: Iterable[Mapping[int, float]]
) -> list[float]:
    """The time that the shares of each entry's functions are parts of; None: of all entries.

    Its own, but what makes or frees an object is called once for all that is done with that, in
    some runs of the longest one of the other entries in its file. One that is short beside others
    is a part of something longer.
    """
    wholes = [sum(each.values()) for each in times]
    least = min(SHORT_RUN, SHORT_PART * max(wholes, default=0.0))
    uses: dict[str, float] = {}
    for entry, whole in zip(entries, wholes, strict=True):
        if entry is not None and not names_set_up(entry.name):
            uses[entry.path] = max(uses.get(entry.path, 0.0), USES * whole)
    return [
        whole if entry is None or entry.entry else _whole_time(entry, max(whole, least), uses)
        for entry, whole in zip(entries, wholes, strict=True)
    ]


def _whole_time(entry: ProgramFunction, own: float, uses: Mapping[str, float]) -> float:
    return max(own, uses.get(entry.path, 0.0)) if names_set_up(entry.name) else own
