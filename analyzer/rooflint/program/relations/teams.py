"""Code that teams of OpenMP run: the loops that they share, and functions called from these.

The iterations of a shared loop are spread over the threads of a team, and so is all that they call:
there, parallel regions have one thread each, since a nested one is off by default.
"""

from collections.abc import Iterable, Sequence

from rooflint.ir.equations import Equations
from rooflint.program.call_graph import CallGraph, FileCode, ProgramCall
from rooflint.program.executions import ProgramRuns


def in_shared_loops(file: Equations) -> list[bool]:
    """Of each loop of a file, whether a team shares it or a loop around it."""
    found: list[bool] = []
    for loop in file.loops:
        found.append(loop.shared or (loop.parent >= 0 and found[loop.parent]))
    return found


class TeamParts:
    """The parts of executions that are spread over a team: of loops by file, and of functions."""

    def __init__(self, codes: Sequence[FileCode], graph: CallGraph, runs: ProgramRuns) -> None:
        self._loops = [in_shared_loops(code.equations) for code in codes]
        self._graph = graph
        self._functions = [0.0] * len(graph.functions)
        if any(map(any, self._loops)):
            self._follow_calls(runs)

    def of_function(self, function: int) -> float:
        """Of the calls of a function."""
        return self._functions[function]

    def of_place(self, function: int, loop: int) -> float:
        """Of the executions of code in a loop of the function's file; -1 for outside of loops."""
        file = self._graph.functions[function].file
        return 1.0 if loop >= 0 and self._loops[file][loop] else self._functions[function]

    def _follow_calls(self, runs: ProgramRuns) -> None:
        """Hands parts on from callers to callees; within a circle of calls all have the same."""
        executions = runs.executions(runs.entries)
        calls: list[list[ProgramCall]] = [[] for _ in self._functions]
        for call in self._graph.calls:
            calls[call.callee].append(call)
        for circle in runs.callers_first:
            serial = float(len(circle.intersection(runs.entries)))
            whole = spread = 0.0
            for call in [each for member in sorted(circle) for each in calls[member]]:
                if call.caller not in circle:
                    times = executions.get(call.caller, 0.0) * call.frequency
                    whole += times
                    spread += times * self.of_place(call.caller, call.loop)
            if spread:
                self._set(circle, spread / (whole + serial))

    def _set(self, functions: Iterable[int], part: float) -> None:
        for function in functions:
            self._functions[function] = part
