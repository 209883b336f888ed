"""Executions and shares of a program's time by place: what reports are weighed by.

They are computed for a program, or known from an earlier run with equal loops and predictions.
"""

from bisect import bisect_left, bisect_right
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
    """The share of a loop of a function, without the loops inside; ``elsewhere``: the loop lies in
    another file than the function."""

    span: Span
    share: float
    elsewhere: bool = False


class PlacedFunction(NamedTuple):
    """A function of a file, and all loops in it, those from headers too.

    ``reached``: an entry of the program leads to it. ``share``: without callees.
    """

    span: Span
    reached: bool
    executions: float
    share: float
    loops: tuple[PlacedLoopShare, ...]


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
        self._shares_in = cache(self._new_shares)
        self._spans = cache(self._new_spans)
        self._loops_at = cache(self._new_loops_at)

    def functions_at(self, path: str, place: tuple[int, int]) -> list[PlacedFunction]:
        """Those that the program reaches and that lie around a line and column of a file."""
        return [each.function for each in self._functions_at(path, place)]

    def _functions_at(self, path: str, place: tuple[int, int]) -> "list[_SharesInFunction]":
        functions = self._shares_in(self._normal(path))
        around = self._spans(self._normal(path)).around(place)
        return [functions[each] for each in around if functions[each].function.reached]

    def _new_shares(self, path: str) -> "list[_SharesInFunction]":
        return list(map(_SharesInFunction, self._of_file(path).functions))

    def _new_spans(self, path: str) -> "NestedSpans":
        functions = self._of_file(path).functions
        return NestedSpans([(each.span, number) for number, each in enumerate(functions)])

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
            PlaceShare(each.function.share, each.share_at(span[:2]))
            for each in self._functions_at(path, span[:2])
        ]
        return max(shares, default=None)

    def functions_of(self, path: str) -> Iterator[tuple[Span, float]]:
        """The functions of a file that the program reaches, each with its share."""
        shares: dict[Span, float] = {}
        for each in self._reached(path):
            function = each.function
            shares[function.span] = max(shares.get(function.span, 0.0), function.share)
        yield from shares.items()

    def unreached_in(self, path: str) -> set[Span]:
        """The functions of a file that the program does not reach, in none of their instances."""
        reached = {each.function.span for each in self._reached(path)}
        return {each.span for each in self._of_file(self._normal(path)).functions} - reached

    def loops_of(self, path: str) -> Iterator[tuple[Span, float]]:
        """The loops of these functions, each with its share, that of the loops inside included."""
        shares: dict[Span, float] = {}
        for each in self._reached(path):
            for loop in each.function.loops:
                share = each.share_at(loop.span[:2])
                shares[loop.span] = max(shares.get(loop.span, 0.0), share)
        yield from shares.items()

    def _reached(self, path: str) -> "Iterator[_SharesInFunction]":
        return (each for each in self._shares_in(self._normal(path)) if each.function.reached)


def known_times(shares: ProgramShares) -> PlacedTimes:
    """The answers of an earlier run."""
    return PlacedTimes(
        shares.origin,
        shares.entries,
        several=shares.several,
        of_file=lambda path: shares.files.get(path, FileShares()),
    )


class _SharesInFunction:
    """Answers for places in one function; loops that a macro makes all lie at the same place."""

    def __init__(self, function: PlacedFunction) -> None:
        self.function = function
        self._spans: NestedSpans | None = None
        self._shares: dict[Span, float] = {}
        self.share_at = cache(self._share_at)

    def _share_at(self, place: tuple[int, int]) -> float:
        """Of the innermost loop around a place, with the loops inside; else of the function."""
        loops = self.function.loops
        if self._spans is None:
            self._spans = NestedSpans([(loop.span, each) for each, loop in enumerate(loops)])
        around = self._spans.around(place)
        if not around:
            return self.function.share
        innermost = max([loops[each].span for each in around])
        share = self._shares.get(innermost)
        if share is None:
            inside = self._spans.beginning_in(innermost)
            share = self._shares[innermost] = sum([loops[each].share for each in inside])
        return share


class NestedSpans:
    """Where the functions of a file, or the loops of one, begin and end."""

    def __init__(self, spans: Iterable[tuple[Span | None, int]]) -> None:
        """Spans with the positions of what lies there."""
        self._found = sorted([(span, each) for span, each in spans if span is not None])
        self._begins = [span[:2] for span, _ in self._found]
        self._ends = list(accumulate([span[2:] for span, _ in self._found], max))
        """By number: the last end of the spans up to this one."""

    def around(self, place: tuple[int, int]) -> list[int]:
        """The positions of what lies around a line and column."""
        found: list[int] = []
        number = bisect_right(self._begins, place) - 1
        while number >= 0 and place < self._ends[number]:
            span, position = self._found[number]
            if holds(span, place):
                found.append(position)
            number -= 1
        return sorted(found)

    def beginning_in(self, outer: Span) -> list[int]:
        """The positions of what begins in a span."""
        first = bisect_left(self._begins, outer[:2])
        end = bisect_left(self._begins, outer[2:])
        return sorted([position for _, position in self._found[first:end]])


def holds(outer: Span | None, place: tuple[int, int]) -> bool:
    """Whether a place lies in the span."""
    return outer is not None and outer[:2] <= place < outer[2:]
