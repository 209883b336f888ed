"""Predicted time of functions before and after: two reports, what differs, and why.

Both reports are of one machine each and of the same sizes; the time of a function is the sum over
its kernels of the verdict's cycles per iteration times iterations, over the clock.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from rooflint.compare.reasons import TimedKernel, change_reasons, decisive_change
from rooflint.plugin_api.report import (
    FunctionReport,
    KernelReport,
    Report,
    SizeValue,
)
from rooflint.plugin_api.terms import Limiter
from rooflint.plugin_api.verdict import TimeRelation
from rooflint.records import NamedTuple
from rooflint.verdict.by_loop import VerdictsByLoop
from rooflint.verdict.words import gap_words

Place: TypeAlias = tuple[str, str, int]
"""File relative to the tree, name, and which of several with that name in the file."""


class Side(NamedTuple):
    """A report of one of the two: ``machine`` picks the results.

    ``relative`` makes a report's path one within the tree, so that the same file has the same.
    """

    report: Report
    machine: int
    relative: Callable[[str], str]
    verdicts: VerdictsByLoop


class FunctionChange(NamedTuple):
    """A function in both: seconds of one call; ``reasons`` in words.

    relation     of either side: a lower bound where one of its loops has only that; ``UNKNOWN``
                 where one has no time: seconds are None then, and ``reasons`` says why
    was_limiter  of the loop whose time changed most, and ``limiter`` after it
    """

    function: str
    path: str
    line: int
    relation: TimeRelation
    before_s: float | None
    after_s: float | None
    reasons: tuple[str, ...]
    sizes: Mapping[str, SizeValue]
    was_limiter: Limiter | None = None
    limiter: Limiter | None = None

    @property
    def ratio(self) -> float:
        """Time after over time before: above 1 is slower. 1 where it is unknown."""
        if self.before_s is None or self.after_s is None:
            return 1.0
        if not self.before_s:
            return math.inf if self.after_s else 1.0
        return self.after_s / self.before_s


class Comparison(NamedTuple):
    """Changes, the largest loss of time first; functions with loops that only one side has.

    failed   files of either side that could not be analysed, which the numbers leave out
    refused  how many loops each side's analysis refused, and so left out
    """

    changes: tuple[FunctionChange, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    failed: tuple[str, ...]
    refused: tuple[int, int]

    def slower(self, threshold: float) -> tuple[FunctionChange, ...]:
        """The functions that take at least ``threshold`` times as long."""
        return tuple(
            [change for change in self.changes if change.ratio > 1 and change.ratio >= threshold]
        )

    def faster(self, threshold: float) -> tuple[FunctionChange, ...]:
        """The functions that take at most a ``threshold``-th of the time."""
        return tuple([change for change in self.changes if change.ratio * threshold <= 1])


Sizes: TypeAlias = Mapping[Place, Mapping[str, SizeValue]]


def compare(old: Side, new: Side, sizes: Sizes) -> Comparison:
    """The time of the functions of ``new`` against ``old``, at the ``sizes`` of ``old``."""
    before, after = _functions(old), _functions(new)
    pairs = dict(_pairs(before, after))
    changes = [
        _change(place, before[was], after[place], old, new)._replace(
            sizes={**_sizes(after[place], new), **sizes.get(was, {})}
        )
        for place, was in pairs.items()
    ]
    return Comparison(
        changes=tuple(sorted(changes, key=_loss, reverse=True)),
        added=tuple([_words(place) for place in after if place not in pairs]),
        removed=tuple([_words(place) for place in before if place not in pairs.values()]),
        failed=tuple(
            [
                f"{name}: {side.relative(file.path)}"
                for name, side in (("old", old), ("new", new))
                for file in side.report.files
                if file.status == "failed"
            ]
        ),
        refused=(
            sum(old.report.summary.refused.values()),
            sum(new.report.summary.refused.values()),
        ),
    )


def sizes_by_function(side: Side) -> tuple[Sizes, bool]:
    """The sizes each function was analysed with, and whether all its nests have the same.

    Of a name with several values it is the largest.
    """
    functions = _functions(side)
    found = {place: _sizes(function, side) for place, function in functions.items()}
    same = all(
        size.value == found[place][name].value
        for place, function in functions.items()
        for kernel in _kernels(function)
        for name, size in kernel.results[side.machine].sizes.items()
    )
    return found, same


def _sizes(function: FunctionReport, side: Side) -> dict[str, SizeValue]:
    sizes: dict[str, SizeValue] = {}
    for kernel in _kernels(function):
        for name, size in kernel.results[side.machine].sizes.items():
            if name not in sizes or size.value > sizes[name].value:
                sizes[name] = size
    return sizes


def _functions(side: Side) -> dict[Place, FunctionReport]:
    found: dict[Place, FunctionReport] = {}
    for file in side.report.files:
        for function in file.functions:
            number = 0
            while (place := (side.relative(file.path), function.name, number)) in found:
                number += 1
            found[place] = function
    return found


def _pairs(before: Iterable[Place], after: Iterable[Place]) -> Iterator[tuple[Place, Place]]:
    """(new, old) of the same file and name; a function that moved goes by its name alone."""
    left = dict.fromkeys(before)
    moved: list[Place] = []
    for place in after:
        if place in left:
            del left[place]
            yield place, place
        else:
            moved.append(place)
    for place in moved:
        same = [other for other in left if other[1] == place[1]]
        if len(same) == 1 and sum(other[1] == place[1] for other in moved) == 1:
            yield place, same[0]


def _change(
    place: Place, was: FunctionReport, now: FunctionReport, old: Side, new: Side
) -> FunctionChange:
    before, after = _timed(was, old), _timed(now, new)
    change = FunctionChange(
        function=place[1],
        path=place[0],
        line=now.line,
        relation=_relation([*before, *after]),
        before_s=None,
        after_s=None,
        reasons=(),
        sizes={},
    )
    if change.relation is TimeRelation.UNKNOWN:
        return change._replace(reasons=(_unknown([*before, *after]),))
    decisive = decisive_change(before, after)
    return change._replace(
        before_s=sum([each.seconds or 0.0 for each in before]),
        after_s=sum([each.seconds or 0.0 for each in after]),
        reasons=change_reasons(before, after),
        was_limiter=decisive.was.verdict.limiter if decisive is not None else None,
        limiter=decisive.now.verdict.limiter if decisive is not None else None,
    )


_LEAST_SURE: Final = (TimeRelation.UNKNOWN, TimeRelation.AT_LEAST, TimeRelation.RANGE)


def _relation(kernels: Sequence[TimedKernel]) -> TimeRelation:
    """That of the kernel of which least is known."""
    found = {
        each.verdict.time.relation if each.seconds is not None else TimeRelation.UNKNOWN
        for each in kernels
    }
    return next((each for each in _LEAST_SURE if each in found), TimeRelation.EQUALS)


def _timed(function: FunctionReport, side: Side) -> list[TimedKernel]:
    results = [(kernel, kernel.results[side.machine]) for kernel in _kernels(function)]
    verdicts = side.verdicts
    return [
        TimedKernel(kernel, result, verdicts[kernel.id, result.machine])
        for kernel, result in results
    ]


def _unknown(kernels: Iterable[TimedKernel]) -> str:
    lost = next(each for each in kernels if each.seconds is None)
    gaps = lost.verdict.gaps
    why = f": {gap_words(gaps[0])}" if gaps else ""
    return f"no time for the loop in line {lost.kernel.line}{why}"


def _kernels(function: FunctionReport) -> list[KernelReport]:
    return [kernel for nest in function.nests for kernel in nest.kernels]


def _loss(change: FunctionChange) -> float:
    return (change.after_s or 0.0) - (change.before_s or 0.0)


def _words(place: Place) -> str:
    return f"{place[1]} ({place[0]})"
