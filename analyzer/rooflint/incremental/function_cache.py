"""Functions that were analysed before, wherever they stand now.

A report is made with the number of each node in place of its line (``numbered``), so that it says
the same of the same function on any line. ``placed`` puts in the lines of the source at hand. That
a comment grew, or code above moved, costs a look-up and no analysis.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, Protocol

from rooflint.config.comments import Scope
from rooflint.ir import Function, SourceFunction, Span, walk
from rooflint.plugin_api.report import FunctionReport, KernelReport, NestReport, NotCovered

KEPT_RUNS: Final = 16
"""So many analyses of a file later a function that was not there again is forgotten: until then
undo and redo cost nothing."""

Setting = tuple[tuple[str, int], ...]


class Key(NamedTuple):
    """All that the report of a function rests on beside machines, models and the compiler.

    origins  numbers of its nodes: a report refers to them, and equality of functions does not
    off      nodes that a comment takes out of the report
    """

    function: Function
    origins: tuple[int, ...]
    sizes: Setting
    trips: Setting
    noalias: tuple[tuple[str, ...], ...]
    threads: int | None
    off: tuple[int, ...]


class Outcome(NamedTuple):
    """A function's report with numbers for lines, None without kernels; names that can be set."""

    report: FunctionReport | None
    names: frozenset[str]


class Remembers(Protocol):
    """Knows functions that were analysed before."""

    def outcome(self, key: Key, compute: Callable[[], Outcome]) -> Outcome:
        """What is known of the function, else what ``compute`` says."""


class Memo:
    """Outcomes of one file's functions with one bench; bounded by what its last versions had."""

    def __init__(self) -> None:
        self._found: dict[Key, tuple[Outcome, int]] = {}
        self._run = 0
        self.computed = 0

    def begin(self) -> None:
        """A new analysis of the file starts; what the last ones did not ask for is forgotten."""
        self._run += 1
        oldest = self._run - KEPT_RUNS
        self._found = {key: kept for key, kept in self._found.items() if kept[1] > oldest}

    def outcome(self, key: Key, compute: Callable[[], Outcome]) -> Outcome:
        """What is known of the function, else what ``compute`` says; its errors are not kept."""
        kept = self._found.get(key)
        if kept is None:
            self.computed += 1
            outcome = compute()
        else:
            outcome = kept[0]
        self._found[key] = (outcome, self._run)
        return outcome


def key_of(source: SourceFunction, scope: Scope, off: frozenset[int]) -> Key:
    """What tells this function from others."""
    return Key(
        source.function,
        tuple([node.origin for node in walk(source.function.body)]),
        tuple(sorted(scope.sizes.items())),
        tuple(sorted(scope.trips.items())),
        scope.noalias,
        scope.threads,
        tuple(sorted(off)),
    )


def numbered(count: int) -> tuple[Span, ...]:
    """Places that are the numbers of their nodes, from 1; a line of 0 is that of no node."""
    return tuple([Span(n, n, n, n) for n in range(1, count + 1)])


def placed(
    report: FunctionReport, source: SourceFunction, kernel_id: Callable[[str], str]
) -> FunctionReport:
    """``report`` with the lines of ``source``; ``kernel_id`` makes each kernel's id unique."""
    place = _Place(source.span, source.spans)
    return report._replace(
        line=source.span.line,
        column=source.span.column,
        nests=tuple([place.nest(nest, kernel_id) for nest in report.nests]),
    )


class _Place(NamedTuple):
    """Where a function and its nodes are."""

    whole: Span
    spans: Sequence[Span]

    def nest(self, nest: NestReport, kernel_id: Callable[[str], str]) -> NestReport:
        span = self.span(nest.line)
        kernels = tuple([self.kernel(kernel, kernel_id) for kernel in nest.kernels])
        return NestReport(span.line, span.end_line, kernels)

    def kernel(self, kernel: KernelReport, kernel_id: Callable[[str], str]) -> KernelReport:
        span = self.span(kernel.line)
        gaps = [NotCovered(self.line(gap.line), gap.reason) for gap in kernel.not_covered]
        return kernel._replace(
            id=kernel_id(kernel.id),
            line=span.line,
            column=span.column,
            loops=tuple([loop._replace(line=self.line(loop.line)) for loop in kernel.loops]),
            not_covered=tuple(dict.fromkeys(gaps)),
        )

    def span(self, number: int) -> Span:
        return self.spans[number - 1] if number else self.whole

    def line(self, number: int) -> int:
        return self.spans[number - 1].line if number else 0
