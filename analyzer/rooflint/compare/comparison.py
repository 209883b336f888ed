"""Predicted time of functions before and after: two reports, what differs, and why.

Both reports are of one machine each and of the same sizes; the time of a function is the sum over
its kernels of cycles per iteration times iterations, over the clock.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from rooflint.compare.reasons import TimedKernel, change_reasons
from rooflint.plugin_api.report import (
    FunctionReport,
    KernelReport,
    Report,
    SizeValue,
)
from rooflint.records import NamedTuple

MODELS = ("ecm", "roofline")
"""Asked in this order; a function's time is that of the first which knows all its kernels."""

Place: TypeAlias = tuple[str, str, int]
"""File relative to the tree, name, and which of several with that name in the file."""


class Side(NamedTuple):
    """A report of one of the two: ``machine`` picks the results, ``clock_ghz`` is its clock.

    ``relative`` makes a report's path one within the tree, so that the same file has the same.
    """

    report: Report
    machine: int
    clock_ghz: float
    relative: Callable[[str], str]


class FunctionChange(NamedTuple):
    """A function in both: seconds of one call, by ``model``; ``reasons`` in words.

    Seconds are None where no model knows all kernels of both; ``reasons`` then says so.
    """

    function: str
    path: str
    line: int
    model: str
    before_s: float | None
    after_s: float | None
    reasons: tuple[str, ...]
    sizes: Mapping[str, SizeValue]

    @property
    def ratio(self) -> float:
        """Time after over time before: above 1 is slower. 1 where it is not known."""
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
    before = _timed(was, old)
    after = _timed(now, new)
    model = next((m for m in MODELS if all(t.knows(m) for t in (*before, *after))), "")
    change = FunctionChange(
        function=place[1],
        path=place[0],
        line=now.line,
        model=model,
        before_s=None,
        after_s=None,
        reasons=(),
        sizes={},
    )
    if not model:
        return change._replace(reasons=(_unknown([*before, *after]),))
    return change._replace(
        before_s=sum([each.time(model) for each in before]),
        after_s=sum([each.time(model) for each in after]),
        reasons=change_reasons(before, after, model),
    )


def _timed(function: FunctionReport, side: Side) -> list[TimedKernel]:
    return [
        TimedKernel(kernel, kernel.results[side.machine], side.clock_ghz)
        for kernel in _kernels(function)
    ]


def _unknown(kernels: Iterable[TimedKernel]) -> str:
    for each in kernels:
        silent = [s for s in each.result.skipped if s.model in MODELS]
        if not any(each.knows(model) for model in MODELS):
            why = f": {silent[0].reason}" if silent else ""
            return f"no model gives a time for line {each.kernel.line}{why}"
    return "no model covers all loops of both"


def _kernels(function: FunctionReport) -> list[KernelReport]:
    return [kernel for nest in function.nests for kernel in nest.kernels]


def _loss(change: FunctionChange) -> float:
    return (change.after_s or 0.0) - (change.before_s or 0.0)


def _words(place: Place) -> str:
    return f"{place[1]} ({place[0]})"
