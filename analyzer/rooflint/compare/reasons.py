"""Reasons of a function's other time: what its kernels do otherwise than before."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rooflint.pipeline.ranking import iterations_of
from rooflint.plugin_api.report import KernelReport, LinkTraffic, MachineResult, StreamReport
from rooflint.plugin_api.verdict import Verdict
from rooflint.records import NamedTuple
from rooflint.verdict.words import limit_sentence

CALL = "call:"
"""Before the name of a function among operations."""
NOTABLE = 1.05
"""What changes by less is no reason."""
MOST_REASONS = 2
MOST_ARRAYS = 3
"""Names in one reason."""


class TimedKernel:
    """A kernel of one side with its result, the verdict on it, and the time of one call."""

    def __init__(self, kernel: KernelReport, result: MachineResult, verdict: Verdict) -> None:
        self.kernel, self.result, self.verdict = kernel, result, verdict
        self.iterations = iterations_of(self.result)

    @property
    def seconds(self) -> float | None:
        """Of all its iterations in one call; None where nothing is predicted."""
        time = self.verdict.time
        if time.now_cy is None or time.clock_ghz <= 0:
            return None
        return time.now_cy * self.iterations / (time.clock_ghz * 1e9)


class KernelChange(NamedTuple):
    """A kernel before and after, and how many seconds more it takes."""

    more_s: float
    was: TimedKernel
    now: TimedKernel


def decisive_change(
    before: Sequence[TimedKernel], after: Sequence[TimedKernel]
) -> KernelChange | None:
    """The kernel whose time changed most, in the direction of the function's."""
    change = _total(after) - _total(before)
    changes = [
        KernelChange((now.seconds or 0.0) - (was.seconds or 0.0), was, now)
        for was, now in _matched(before, after)
    ]
    alike = [each for each in changes if each.more_s * change > 0 or not change]
    return max(alike, key=lambda each: abs(each.more_s), default=None)


def _total(kernels: Iterable[TimedKernel]) -> float:
    return sum([each.seconds or 0.0 for each in kernels])


def change_reasons(before: Sequence[TimedKernel], after: Sequence[TimedKernel]) -> tuple[str, ...]:
    """How many loops came or went, and reasons of the kernel whose time changed most."""
    decisive = decisive_change(before, after)
    reasons = () if decisive is None else _reasons(decisive)
    return (*_passes(before, after), *reasons)


def _passes(before: Sequence[TimedKernel], after: Sequence[TimedKernel]) -> Iterator[str]:
    """``1 more loop(s): x is walked again``."""
    more = len(after) - len(before)
    if not more:
        return
    was, now = _walks(before), _walks(after)
    again = [array for array, times in now.items() if array in was and times > was[array]]
    text = f"{abs(more)} {'more' if more > 0 else 'fewer'} loop(s)"
    if more > 0 and again:
        text += f": {', '.join(again[:MOST_ARRAYS])} {_is(again)} walked again"
    yield text


def _walks(kernels: Iterable[TimedKernel]) -> Counter[str]:
    """How many kernels walk each array."""
    return Counter(
        array
        for each in kernels
        for array in dict.fromkeys(
            [stream.array for stream in each.kernel.streams if stream.pattern != "invariant"]
        )
    )


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _matched(
    before: Sequence[TimedKernel], after: Sequence[TimedKernel]
) -> Iterator[tuple[TimedKernel, TimedKernel]]:
    """Kernels under loops of the same names, in order; the rest in order as well."""
    left = list(before)
    rest: list[TimedKernel] = []
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


def _reasons(change: KernelChange) -> tuple[str, ...]:
    _, was, now = change
    if was.kernel.streams == now.kernel.streams and was.result.machine != now.result.machine:
        return tuple([
            f"{each.result.machine}: {limit_sentence(each.verdict)}"
            for each in (was, now)
            if each.verdict.limiter is not None
        ])  # fmt: skip
    slower = change.more_s > 0
    found = [
        *_strides(was, now, slower),
        *_vectors(was, now),
        *_cores(was, now),
        *_iterations(was, now, slower),
        *_traffic(was, now, slower),
        *_work(was, now, slower),
    ]
    return tuple(found[:MOST_REASONS])


def _strides(was: TimedKernel, now: TimedKernel, slower: bool) -> Iterator[str]:
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
    yield from _other_arrays(was, now, slower)
    yield from _reversed(was, now, slower)


def _other_arrays(was: TimedKernel, now: TimedKernel, slower: bool) -> Iterator[str]:
    """Arrays with unit stride in the place of others without, as members of records become."""
    first, second = (was, now) if slower else (now, was)
    unit = [each.array for each in _others(first, second) if each.pattern == "contiguous"]
    steps = [each for each in _others(second, first) if each.pattern == "strided"]
    if unit and steps:
        names = ", ".join(dict.fromkeys(unit[:MOST_ARRAYS]))
        step = f"{steps[0].array} has {steps[0].stride} B per step"
        yield f"unit stride of {names} {'lost' if slower else 'won'}: {step}"


def _others(one: TimedKernel, other: TimedKernel) -> list[StreamReport]:
    """The streams over arrays that the other kernel does not access."""
    shared = {stream.array for stream in other.kernel.streams}
    return [stream for stream in one.kernel.streams if stream.array not in shared]


def _reversed(was: TimedKernel, now: TimedKernel, slower: bool) -> Iterator[str]:
    """Arrays that only one side walks backwards: their vectors are reversed in registers."""
    first, second = (was, now) if slower else (now, was)
    vector = second.result.vector
    if vector is None or vector.width == 1:
        return
    turned = [array for array in _backwards(second, True) if array in _backwards(first, False)]
    if turned:
        names = ", ".join(turned[:MOST_ARRAYS])
        yield f"{names} {_is(turned)} {'now' if slower else 'no longer'} walked backwards"


def _backwards(kernel: TimedKernel, wanted: bool) -> Mapping[str, None]:
    """The arrays whose walk is backwards, or is not, in order."""
    streams = kernel.kernel.streams
    return dict.fromkeys([each.array for each in streams if each.backwards == wanted])


def _vectors(was: TimedKernel, now: TimedKernel) -> Iterator[str]:
    first, second = was.result.vector, now.result.vector
    if first is None or second is None or first.width == second.width:
        return
    why = f" ({second.reason})" if second.reason and second.width == 1 else ""
    yield f"vectors of {first.width} became {second.width}{why}"


def _cores(was: TimedKernel, now: TimedKernel) -> Iterator[str]:
    if was.result.cores != now.result.cores:
        yield f"{was.result.cores} core(s) became {now.result.cores} ({now.result.cores_origin})"


def _iterations(was: TimedKernel, now: TimedKernel, slower: bool) -> Iterator[str]:
    if _grew(was.iterations, now.iterations, slower):
        yield f"iterations {was.iterations:.4g} became {now.iterations:.4g}"


def _traffic(was: TimedKernel, now: TimedKernel, slower: bool) -> Iterator[str]:
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


def _work(was: TimedKernel, now: TimedKernel, slower: bool) -> Iterator[str]:
    first, second = was.kernel.work, now.kernel.work
    if first.type != second.type:
        yield f"{first.type} became {second.type}"
    for name in sorted({*first.operations, *second.operations}):
        less, more = first.operations.get(name, 0), second.operations.get(name, 0)
        if less != more and (more > less) == slower:
            called = name.removeprefix(CALL)
            work = name if called == name else f"call of {called.rpartition('.')[0]}"
            yield f"{work}: {more:g} per iteration instead of {less:g}"
    if (second.stores > first.stores) if slower else (second.stores < first.stores):
        yield f"{second.stores:g} stores per iteration instead of {first.stores:g}"


def _grew(before: float | None, after: float | None, slower: bool) -> bool:
    if before is None or after is None or before == after:
        return False
    small, large = (before, after) if slower else (after, before)
    return large >= NOTABLE * small
