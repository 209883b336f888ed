"""Predicted time of functions before and after: two reports, what differs, and why.

Both reports are of one machine each and of the same sizes; the time of a function is the sum over
its kernels of cycles per iteration times iterations, over the clock.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from rooflint.pipeline.ranking import iterations_of, predicted_cycles
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.report import (
    FunctionReport,
    KernelReport,
    LinkTraffic,
    MachineResult,
    Report,
    SizeValue,
)
from rooflint.records import NamedTuple

MODELS = ("ecm", "roofline")
"""Asked in this order; a function's time is that of the first which knows all its kernels."""
NOTABLE = 1.05
"""What changes by less is no reason."""
MOST_REASONS = 2

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
    before = [_Timed(kernel, old) for kernel in _kernels(was)]
    after = [_Timed(kernel, new) for kernel in _kernels(now)]
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
        reasons=_changes(before, after, model),
    )


def _changes(before: Sequence["_Timed"], after: Sequence["_Timed"], model: str) -> tuple[str, ...]:
    """Reasons of the kernel whose time changed most, and how many loops came or went."""
    matched = list(_matched(before, after))
    reasons: tuple[str, ...] = ()
    if matched:
        worst = max(matched, key=lambda pair: abs(pair[1].time(model) - pair[0].time(model)))
        reasons = _reasons(*worst, model)
    more = len(after) - len(before)
    if not more:
        return reasons
    return (*reasons, f"{abs(more)} {'more' if more > 0 else 'fewer'} loop(s)")


class _Timed:
    """A kernel of one side with its result and time."""

    def __init__(self, kernel: KernelReport, side: Side) -> None:
        self.kernel = kernel
        self.result: MachineResult = kernel.results[side.machine]
        self.iterations = iterations_of(self.result)
        self._clock_ghz = side.clock_ghz

    def prediction(self, model: str) -> Prediction | None:
        for prediction in self.result.predictions:
            if prediction.model == model and prediction.cycles_per_iteration is not None:
                return prediction
        return None

    def knows(self, model: str) -> bool:
        return self.prediction(model) is not None

    def time(self, model: str) -> float:
        prediction = self.prediction(model)
        assert prediction is not None
        cycles = predicted_cycles(self.result, prediction)
        assert cycles is not None
        return cycles / (self._clock_ghz * 1e9)


def _matched(before: Sequence[_Timed], after: Sequence[_Timed]) -> Iterator[tuple[_Timed, _Timed]]:
    """Kernels under loops of the same names, in order; the rest in order as well."""
    left = list(before)
    rest: list[_Timed] = []
    for each in after:
        indices = [loop.index for loop in each.kernel.loops]
        for other in left:
            if [loop.index for loop in other.kernel.loops] == indices:
                left.remove(other)
                yield other, each
                break
        else:
            rest.append(each)
    yield from zip(left, rest, strict=False)


def _reasons(was: _Timed, now: _Timed, model: str) -> tuple[str, ...]:
    first, second = was.prediction(model), now.prediction(model)
    if was.kernel.streams == now.kernel.streams and was.result.machine != now.result.machine:
        found = [f"{each.result.machine}: {p.bottleneck}, {p.headline}"
                 for each, p in ((was, first), (now, second)) if p is not None]  # fmt: skip
        return tuple(found)
    slower = now.time(model) > was.time(model)
    found = [
        *_strides(was, now, slower),
        *_vectors(was, now),
        *_cores(was, now),
        *_iterations(was, now, slower),
        *_traffic(was, now, slower),
        *_work(was, now, slower),
    ]
    if not found and first and second and first.bottleneck != second.bottleneck:
        found = [f"{first.bottleneck} limited it, now {second.bottleneck} does"]
    return tuple(found[:MOST_REASONS])


def _strides(was: _Timed, now: _Timed, slower: bool) -> Iterator[str]:
    before = {stream.array: stream for stream in was.kernel.streams}
    for stream in now.kernel.streams:
        other = before.get(stream.array)
        if other is None:
            continue
        here, there = (other, stream) if slower else (stream, other)
        if here.pattern in ("contiguous", "invariant") and there.pattern in ("strided", "gather"):
            what = "unit stride" if here.pattern == "contiguous" else "reuse in a register"
            lost = "lost" if slower else "won"
            by = "indirect" if stream.pattern == "gather" else f"{stream.stride} B per step"
            yield f"{what} of {stream.array} {lost}: now {by}"


def _vectors(was: _Timed, now: _Timed) -> Iterator[str]:
    first, second = was.result.vector, now.result.vector
    if first is None or second is None or first.width == second.width:
        return
    why = f" ({second.reason})" if second.reason and second.width == 1 else ""
    yield f"vectors of {first.width} became {second.width}{why}"


def _cores(was: _Timed, now: _Timed) -> Iterator[str]:
    if was.result.cores != now.result.cores:
        yield f"{was.result.cores} core(s) became {now.result.cores} ({now.result.cores_origin})"


def _iterations(was: _Timed, now: _Timed, slower: bool) -> Iterator[str]:
    if _grew(was.iterations, now.iterations, slower):
        yield f"iterations {was.iterations:.4g} became {now.iterations:.4g}"


def _traffic(was: _Timed, now: _Timed, slower: bool) -> Iterator[str]:
    before = {link.link: _bytes(link) for link in was.result.traffic}
    grown = [
        (link.link, before[link.link], _bytes(link))
        for link in now.result.traffic
        if _grew(before.get(link.link), _bytes(link), slower)
    ]
    if grown:
        link, less, more = grown[-1]
        yield f"{link} moves {more:.3g} B per iteration instead of {less:.3g}"


def _bytes(link: LinkTraffic) -> float | None:
    parts = (link.load_bytes, link.write_allocate_bytes, link.evict_bytes)
    known = [part for part in parts if part is not None]
    return math.fsum(known) if len(known) == len(parts) else None


def _work(was: _Timed, now: _Timed, slower: bool) -> Iterator[str]:
    first, second = was.kernel.work, now.kernel.work
    if first.type != second.type:
        yield f"{first.type} became {second.type}"
    for name in sorted({*first.operations, *second.operations}):
        less, more = first.operations.get(name, 0), second.operations.get(name, 0)
        if less != more and (more > less) == slower:
            yield f"{name}: {more:g} per iteration instead of {less:g}"


def _grew(before: float | None, after: float | None, slower: bool) -> bool:
    if before is None or after is None or before == after:
        return False
    small, large = (before, after) if slower else (after, before)
    return large >= NOTABLE * small


def _unknown(kernels: Iterable[_Timed]) -> str:
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
