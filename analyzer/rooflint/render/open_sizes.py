"""``rooflint sizes``: the open sizes that decide most of a program's time, in words and as JSON."""

import os
import shlex
from collections.abc import Iterator
from typing import Any, Final

from rooflint.escaping import json_text, visible
from rooflint.ir.equations import UnknownSource
from rooflint.program.asking.deciding import DecidingGroup, LargestFunction, LoopShare
from rooflint.program.asking.open_names import OpenName
from rooflint.program.asking.resting import LEAST_SHARE
from rooflint.records import NamedTuple
from rooflint.render.layout import Style, plural, with_label, wrap
from rooflint.render.phrases import definition, percent
from rooflint.scenario.sensitivity import limit_words

_COLUMN: Final = 15
_COUNTS: Final = "docs/profiles.md"
_REASONS: Final[dict[UnknownSource, str]] = {
    "input": "input",
    "external-caller": "an argument that no caller in these files passes",
    "unresolved-call": "the result of a function without a body here",
    "memory": "memory",
    "address-taken": "a write through a pointer",
    "counter": "a count at run time",
    "unmodelled": "a computation that is not modelled",
    "too-many-values": "one of many values",
    "overflow": "larger than any array",
}


class AskedSizes(NamedTuple):
    """Sizes of one scale and, if there is one, the value at which another function leads."""

    group: DecidingGroup
    break_even: LargestFunction | None = None


class SizesReport(NamedTuple):
    """The sizes to ask for.

    open       names that the source leaves open, asked for or not
    uncounted  share of the time in loops whose trip counts no size gives
    paths      as the user gave them
    """

    asked: tuple[AskedSizes, ...]
    open: int
    uncounted: float
    paths: tuple[str, ...]


def sizes_text(report: SizesReport, style: Style) -> str:
    """The report for people; ends with a newline."""
    remedies = "".join(f"{line}\n" for line in _remedies(report, style))
    return questions_text(report, style) + remedies


def questions_text(report: SizesReport, style: Style) -> str:
    """The sizes alone, before each is asked for."""
    lines = list(_head(report, style))
    for asked in report.asked:
        lines += ["", *_size(asked, style)]
    return "".join(f"{line}\n" for line in [*lines, ""])


def _head(report: SizesReport, style: Style) -> Iterator[str]:
    text = f"{plural(report.open, 'size')} open"
    if report.asked:
        text += "; these decide where most of the time goes:"
    elif report.open:
        text += f"; none moves {percent(LEAST_SHARE)} of the time within its usual range"
    yield from wrap(text, style.width, 0, 2)


def _size(asked: AskedSizes, style: Style) -> Iterator[str]:
    group = asked.group
    low, lower, _, upper, high = group.names[0].typical.points
    yield ", ".join(
        f"{style.paint(visible(each.name), 'bold')} = {each.typical.value}" for each in group.names
    )
    role = group.names[0].typical.role
    usual = f"mostly {lower} to {upper}, nearly always {low} to {high}"
    yield from _label("guessed", f"{role}: {usual}" if role is not None else usual, style)
    yield from _label("decides", decides_words(group), style)
    for origin in dict.fromkeys(filter(None, map(origin_words, group.names))):
        yield from _label("comes from", origin, style)
    yield from _label("loops", ", ".join(map(_loop, group.loops)), style)
    if asked.break_even is not None:
        yield from _label("break-even", turn_words(group.names[0].name, asked.break_even), style)


def _label(label: str, text: str, style: Style) -> list[str]:
    return with_label(label, text, style, 2, _COLUMN)


def decides_words(group: DecidingGroup) -> str:
    """``11 % of the time: so much moves to other functions between 9 and 1000; …``."""
    _, lower, _, upper, _ = group.names[0].typical.points
    moved = f"{percent(group.moves)} of the time, which moves between functions from {lower} to"
    return f"{moved} {upper}; {percent(group.scales)} is in loops that cost more with larger sizes"


def origin_words(size: OpenName) -> str:
    """``input, main.c:12``; empty where nothing sets it."""
    reasons = sorted({_REASONS[reason] for reason in size.reasons})
    where = [f"{os.path.basename(size.place.path)}:{size.place.line}"] if size.place else []
    return ", ".join([" or ".join(reasons), *where] if reasons else where)


def turn_words(name: str, turn: LargestFunction) -> str:
    """``from n >= 200, gemm takes the most time, else fill``."""
    since = limit_words(name, "from", turn.at)
    return f"{since}, {turn.above} takes the most time, else {turn.below}"


def _loop(loop: LoopShare) -> str:
    return f"{loop.place.path}:{loop.place.line} ({percent(loop.share)})"


def _remedies(report: SizesReport, style: Style) -> Iterator[str]:
    paths = shlex.join(report.paths)
    if report.asked:
        first = definition(report.asked[0].group.names[0].name)
        yield f"for one run:  {first}"
        yield f"to keep them: rooflint sizes {paths} --write"
    if report.uncounted >= LEAST_SHARE:
        text = f"{percent(report.uncounted)} of the time is in loops that no size counts."
        yield from wrap(text, style.width)
    yield f"counts of a run replace every guess: rooflint analyze {paths} --counts FILE ({_COUNTS})"


def sizes_json(report: SizesReport) -> str:
    """The same for programs."""
    return json_text(sizes_to_json(report)) + "\n"


def sizes_to_json(report: SizesReport) -> dict[str, Any]:
    """The report as JSON values."""
    return {
        "schema_version": 1,
        "open": report.open,
        "uncounted": report.uncounted,
        "groups": [_json(each) for each in report.asked],
    }


def _json(asked: AskedSizes) -> dict[str, Any]:
    group, turn = asked.group, asked.break_even
    return {
        "sizes": [
            {
                "name": each.name,
                "typical": each.typical.value,
                "range": list(each.typical.points),
                "role": None if each.typical.role is None else str(each.typical.role),
                "reasons": sorted(each.reasons),
                "place": each.place and {"path": each.place.path, "line": each.place.line},
            }
            for each in group.names
        ],
        "moves": group.moves,
        "scales": group.scales,
        "loops": [
            {"path": each.place.path, "line": each.place.line, "share": each.share}
            for each in group.loops
        ],
        "break_even": turn and turn._asdict(),
    }
