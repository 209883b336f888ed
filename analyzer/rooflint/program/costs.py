"""Crude costs of code without a machine: operators of functions, by the loop that they lie in."""

from collections.abc import Mapping, Sequence
from typing import Final

from rooflint.ir.equations import WorkSite
from rooflint.program.call_graph import CallGraph, FileCode, FunctionTable, ProgramCall
from rooflint.program.components import components

_CALL: Final = 4.0
"""Operators that a call costs beside its body: arguments, jump, and return."""
_DIVISION: Final = 8.0
"""Operators that a division costs: 4 to 20 cycles against one half (x86 server cores)."""
_ACCESSOR: Final = 4.0
"""Operators of a function that compilers inline without trace, so that profilers credit its time to
its caller."""

LoopCosts = dict[int, float]


class FunctionCosts:
    """Operators of one call of each function, by loop of its file; -1 is outside of loops.

    A call of an ``accessor`` is part of its caller.
    """

    def __init__(self, codes: Sequence[FileCode], table: FunctionTable, graph: CallGraph) -> None:
        self.by_loop: list[LoopCosts] = [{} for _ in graph.functions]
        self.accessors: set[int] = set()
        self._calls: list[list[ProgramCall]] = [[] for _ in graph.functions]
        for call in graph.calls:
            self._calls[call.caller].append(call)
        for code, own in zip(codes, table.own, strict=True):
            self._add_work(code, own)
        for outside in graph.outside:
            self._add(outside.caller, outside.loop, outside.frequency * _CALL)
        self._add_calls(_functions_with_loops(codes, table))

    def of_call(self, function: int) -> float:
        """Operators of one call."""
        return sum(self.by_loop[function].values())

    def _add_work(self, code: FileCode, own: Mapping[str, int]) -> None:
        for site in code.equations.work:
            function = own.get(code.equations.quantities[site.function].key)
            if function is not None:
                cost = code.frequencies.of_place(site.loop, site.arm) * _operators(site)
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
                    self._add_calls_of(function)
                    small = self.of_call(function) <= _ACCESSOR
                    if small and function not in with_loops and len(component) == 1:
                        self.accessors.add(function)

    def _callees(self, function: int) -> list[int]:
        return sorted({call.callee for call in self._calls[function]})

    def _add_calls_of(self, function: int) -> None:
        for call in self._calls[function]:
            inlined = call.callee in self.accessors
            cost = self.of_call(call.callee) if inlined else _CALL
            self._add(function, call.loop, call.frequency * cost)


def _functions_with_loops(codes: Sequence[FileCode], table: FunctionTable) -> set[int]:
    return {
        own[key]
        for code, own in zip(codes, table.own, strict=True)
        for key in {code.equations.quantities[loop.function].key for loop in code.equations.loops}
        if key in own
    }


def _operators(site: WorkSite) -> float:
    return site.operators + site.accesses + _DIVISION * site.divisions
