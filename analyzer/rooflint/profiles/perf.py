"""perf's text: ``perf report --stdio -F overhead,srcline`` and ``perf script -F ip,sym,srcline``.

perf names the line of the innermost inlined frame, so inlined functions keep their time. Places in
the kernel and in code without debug information have no line.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final

from rooflint.profiles.content import is_address
from rooflint.profiles.problems import ProfileError, ProfileProblem
from rooflint.profiles.samples import SourceLine, TimedLines, TimeUnit, Weights
from rooflint.profiles.source_paths import normal_path
from rooflint.records import NamedTuple

_COLUMNS: Final = ["#", "Overhead", "Source:Line"]
"""With more columns, perf cuts places to eleven characters, and a line number with them."""
_EVENT_COUNT: Final = "# Event count (approx.):"
_EVENT: Final = "# Samples:"
_UNCOUNTED: Final = 10_000.0
"""Weight of a report that does not say its event's count: perf prints hundredths of a percent."""
_UNITS: Final = {
    "cpu-clock": TimeUnit.NANOSECONDS,
    "task-clock": TimeUnit.NANOSECONDS,
    "cycles": TimeUnit.CYCLES,
    "cpu-cycles": TimeUnit.CYCLES,
}
"""Of the counts of events that measure time."""
_NOWHERE: Final = SourceLine("", 0)


class _SampleFrame(NamedTuple):
    address: str
    place: SourceLine


def read_perf_report(path: str, content: bytes) -> TimedLines:
    """Overhead by line, times the event's count; of the first event, since units do not add up."""
    weights: Weights = Counter()
    event, count, has_columns, unit = "", _UNCOUNTED, False, None
    for line in _lines(content):
        if line.startswith(_EVENT):
            if event:
                break
            event = line.removeprefix(_EVENT)
        elif line.startswith(_EVENT_COUNT):
            count = _number(path, line.removeprefix(_EVENT_COUNT))
            unit = _unit(event)
        elif line.startswith("# Overhead"):
            has_columns = line.split() == _COLUMNS
        elif not line.startswith("#"):
            overhead, _, place = line.strip().partition("%")
            if place[:1].isspace() and _is_decimal(overhead):
                weights[(_source_line(place),)] += round(float(overhead) * count / 100)
    if not has_columns:
        raise ProfileError(path, ProfileProblem.OTHER_COLUMNS)
    return TimedLines(weights, unit)


def _unit(event: str) -> TimeUnit | None:
    """Of ``4K of event 'cpu-clock:pppH'``; None for an event that measures no time."""
    _, _, quoted = event.partition("'")
    name = quoted.partition("'")[0].partition(":")[0]
    # processors with two kinds of cores name the kind before the event: cpu_core/cycles/
    return _UNITS.get(name.rstrip("/").rpartition("/")[2])


def read_perf_script(path: str, content: bytes) -> TimedLines:
    """Samples by chain of lines; with ``-g`` callers follow, of which inlining ones are kept."""
    weights: Weights = Counter()
    for sample in _samples(content):
        weights[sample] += 1
    if not weights:
        raise ProfileError(path, ProfileProblem.BROKEN)
    return TimedLines(weights)


def _samples(content: bytes) -> Iterator[tuple[SourceLine, ...]]:
    """A tab begins each frame of a chain, and an empty line ends it."""
    frames: list[_SampleFrame] = []
    in_chain = False
    for line in _lines(content):
        address = _address_of(line)
        if frames and (not line.strip() or (address and not in_chain)):
            yield _inlined_into(frames)
            frames = []
        if address:
            frames.append(_SampleFrame(address, _NOWHERE))
            in_chain = line.startswith("\t")
        elif frames:
            frames[-1] = frames[-1]._replace(place=_source_line(line))
    if frames:
        yield _inlined_into(frames)


def _address_of(line: str) -> str:
    """The address of a line that gives an address and a symbol; empty for any other."""
    words = line.split(None, 1)
    return words[0] if len(words) > 1 and is_address(words[0]) else ""


def _inlined_into(frames: Sequence[_SampleFrame]) -> tuple[SourceLine, ...]:
    """The frames of one address: perf marks only some of them as inlined."""
    same = takewhile(lambda each: each.address == frames[0].address, frames)
    return tuple([each.place for each in same])


def _lines(content: bytes) -> list[str]:
    return content.decode("utf-8", "surrogateescape").split("\n")


def _source_line(place: str) -> SourceLine:
    """``file:line``, perhaps with a remark in parentheses; anything else has no place."""
    path, colon, line = place.strip().partition(" (")[0].rpartition(":")
    if not colon or not path or not line.isascii() or not line.isdecimal() or len(line) > 9:
        return _NOWHERE
    return SourceLine(normal_path(path), int(line)) if int(line) else _NOWHERE


def _is_decimal(text: str) -> bool:
    return text.isascii() and len(text) <= 6 and text.replace(".", "", 1).isdecimal()


def _number(path: str, text: str) -> float:
    digits = text.strip()
    if not digits.isascii() or not digits.isdecimal() or len(digits) > 20:
        raise ProfileError(path, ProfileProblem.BROKEN, "event count")
    return float(digits)
