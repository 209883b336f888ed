"""Executions and shares of a program's time by place: what reports are weighed by.

They are computed for a program, or known from an earlier run with equal loops and predictions.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import accumulate

from rooflint.ir.unit import Span
from rooflint.pipeline.weights.reported_trips import normal_path
from rooflint.plugin_api.report import KernelReport, LoopWeight, ShareOrigin
from rooflint.records import NamedTuple


class PlaceShare(NamedTuple):
    """Shares of the program's time: of a function without callees, and of a loop in it."""

    function: float
    loop: float


class PlacedLoopShare(NamedTuple):
    """The share of a loop of a function, without the loops inside."""

    span: Span
    share: float


class PlacedFunction(NamedTuple):
    """A function of a file, and all loops in it, those from headers too.

    ``reached``: an entry of the program leads to it. ``share``: without callees.
    """

    span: Span
    reached: bool
    executions: float
    share: float
    loops: tuple[PlacedLoopShare, ...]

    def share_at(self, place: tuple[int, int]) -> float:
        """Of the innermost loop around a place, with the loops inside; else of the function."""
        around = [loop.span for loop in self.loops if holds(loop.span, place)]
        if not around:
            return self.share
        innermost = max(around)
        return sum([loop.share for loop in self.loops if holds(innermost, loop.span[:2])])


class PlacedLoop(NamedTuple):
    """A loop of a file that the program reaches; ``share`` and ``cycles`` as in ``LoopWeight``."""

    line: int
    column: int
    executions: float
    iterations: float
    share: float
    cycles: float


class FileShares(NamedTuple):
    """The functions and loops of a file, in the order of the program: instances of a template lie
    at one place."""

    functions: tuple[PlacedFunction, ...] = ()
    loops: tuple[PlacedLoop, ...] = ()


class ProgramShares(NamedTuple):
    """Those of all files of a program, by their normal paths.

    entries  how many functions the program may begin with
    several  whether a share is that of one entry's time, for there are several
    """

    origin: ShareOrigin
    entries: int
    several: bool
    files: Mapping[str, FileShares]


class PlacedTimes:
    """Answers for places of files from the shares of a program."""

    def __init__(
        self,
        origin: ShareOrigin,
        entries: int,
        *,
        several: bool,
        of_file: Callable[[str], FileShares],
    ) -> None:
        """``of_file``: the shares of a file by its normal path; the rest as in ProgramShares."""
        self.origin, self.entries = origin, entries
        self._several = several
        self._normal = cache(normal_path)
        self._of_file = cache(of_file)
        self._spans = cache(self._new_spans)
        self._loops_at = cache(self._new_loops_at)

    def functions_at(self, path: str, place: tuple[int, int]) -> list[PlacedFunction]:
        """Those that the program reaches and that lie around a line and column of a file."""
        functions = self._of_file(self._normal(path)).functions
        around = self._spans(self._normal(path)).around(place)
        return [functions[each] for each in around if functions[each].reached]

    def _new_spans(self, path: str) -> "FunctionSpans":
        functions = self._of_file(path).functions
        return FunctionSpans([(each.span, number) for number, each in enumerate(functions)])

    def weight_at(self, path: str, place: tuple[int, int]) -> LoopWeight | None:
        """The weight of the function around a place; instances of a template add up."""
        functions = self.functions_at(path, place)
        if not functions:
            return None
        return LoopWeight(
            executions=sum([each.executions for each in functions]),
            origin=self.origin,
            share=max([each.share for each in functions]),
            share_origin=self.origin,
            of_entry=self._several,
        )

    def kernel_weight(self, path: str, kernel: KernelReport) -> LoopWeight | None:
        """The weight of a kernel; None for one that the program does not reach."""
        loops = self._loops_at(self._normal(path)).get((kernel.line, kernel.column))
        if not loops:
            return None
        return LoopWeight(
            executions=sum([each.executions for each in loops]),
            iterations=sum([each.iterations for each in loops]),
            origin=self.origin,
            share=max([each.share for each in loops]),
            share_origin=self.origin,
            of_entry=self._several,
            cycles=sum([each.cycles for each in loops]),
        )

    def _new_loops_at(self, path: str) -> Mapping[tuple[int, int], list[PlacedLoop]]:
        loops: dict[tuple[int, int], list[PlacedLoop]] = {}
        for loop in self._of_file(path).loops:
            loops.setdefault((loop.line, loop.column), []).append(loop)
        return loops

    def share_at(self, path: str, span: Span) -> PlaceShare | None:
        """The shares of a place of a file; None for code that the program does not reach."""
        shares = [
            PlaceShare(each.share, each.share_at(span[:2]))
            for each in self.functions_at(path, span[:2])
        ]
        return max(shares, default=None)

    def functions_of(self, path: str) -> Iterator[tuple[Span, float]]:
        """The functions of a file that the program reaches, each with its share."""
        shares: dict[Span, float] = {}
        for each in self._reached(path):
            shares[each.span] = max(shares.get(each.span, 0.0), each.share)
        yield from shares.items()

    def unreached_in(self, path: str) -> set[Span]:
        """The functions of a file that the program does not reach, in none of their instances."""
        reached = {each.span for each in self._reached(path)}
        return {each.span for each in self._of_file(self._normal(path)).functions} - reached

    def loops_of(self, path: str) -> Iterator[tuple[Span, float]]:
        """The loops of these functions, each with its share, that of the loops inside included."""
        shares: dict[Span, float] = {}
        for function in self._reached(path):
            for loop in function.loops:
                share = function.share_at(loop.span[:2])
                shares[loop.span] = max(shares.get(loop.span, 0.0), share)
        yield from shares.items()

    def _reached(self, path: str) -> Iterator[PlacedFunction]:
        return (each for each in self._of_file(self._normal(path)).functions if each.reached)


def known_times(shares: ProgramShares) -> PlacedTimes:
    """The answers of an earlier run."""
    return PlacedTimes(
        shares.origin,
        shares.entries,
        several=shares.several,
        of_file=lambda path: shares.files.get(path, FileShares()),
    )


class FunctionSpans:
    """Where the functions of a file begin and end."""

    def __init__(self, spans: Iterable[tuple[Span | None, int]]) -> None:
        """Spans with the positions of their functions."""
        self._found = sorted([(span, each) for span, each in spans if span is not None])
        self._begins = [span[:2] for span, _ in self._found]
        self._ends = list(accumulate([span[2:] for span, _ in self._found], max))
        """By number: the last end of the spans up to this one."""

    def around(self, place: tuple[int, int]) -> list[int]:
        """The functions around a line and column, by their positions."""
        found: list[int] = []
        number = bisect_right(self._begins, place) - 1
        while number >= 0 and place < self._ends[number]:
            span, position = self._found[number]
            if holds(span, place):
                found.append(position)
            number -= 1
        return sorted(found)


def holds(outer: Span | None, place: tuple[int, int]) -> bool:
    """Whether a place lies in the span."""
    return outer is not None and outer[:2] <= place < outer[2:]
