"""The sizes that a report rests on: what decides most of them, and the guesses that decide most."""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from rooflint.escaping import visible
from rooflint.plugin_api.report import Report, SizeDoubt, SizeRange
from rooflint.plugin_api.verdict import Verdict
from rooflint.render.phrases import GUESSED, excess_words
from rooflint.verdict.figures import share_text, whole_number

MOST_DOUBTS: Final = 3


def size_line(report: Report) -> str:
    """``sizes: nx = 30 (lulesh.cc:2669) decides 61; 2 guessed``; nothing without sizes."""
    values = {
        (each.scope, each.name): each
        for file in report.files
        for function in file.functions
        for each in function.values
    }
    if not values:
        return ""
    known = Counter([_root(each) for each in values.values() if each.origin != GUESSED])
    parts = list(_known_parts(known))
    if guessed := len(values) - known.total():
        parts.append(f"{guessed} guessed")
    name = f"sizes of {visible(report.scenario)}" if report.scenario else "sizes"
    return f"{name}: {'; '.join(parts)}"


def _known_parts(known: Counter[str]) -> Iterator[str]:
    """The step that decides most sizes, and how many others are known."""
    for root, count in known.most_common(1):
        yield f"{root} decides {count}"
        if others := known.total() - count:
            yield f"{others} others known"


def _root(value: SizeRange) -> str:
    """The step that a value begins with: ``nx = 30 (lulesh.cc:2669)``."""
    if not value.chain:
        return f"{visible(value.name)} = {whole_number(value.typical)} ({visible(value.origin)})"
    first = value.chain[0]
    where = first.place or value.origin
    return f"{visible(first.name)} = {whole_number(first.value)} ({visible(where)})"


def doubt_lines(report: Report, verdicts: Sequence[Verdict]) -> Iterator[str]:
    """``nodeElemCount guessed 8, decides 9 %; holds from 5 up: -D nodeElemCount=8``."""
    yield from filter(None, [excess_words(report)])
    for doubt in report.doubts[:MOST_DOUBTS]:
        names, several = visible(", ".join(doubt.names)), len(doubt.names) > 1
        decides = f"{'decide' if several else 'decides'} {share_text(doubt.share)}"
        decides += " of an entry's time" if doubt.of_entry else ""
        holds = _holds(doubt, verdicts)
        setting = shlex.quote(f"{doubt.names[0]}={doubt.typical}")
        guess = f"{names} guessed {whole_number(doubt.typical)}"
        yield f"{guess}, {decides}{holds}: -D {visible(setting)}"


def _holds(doubt: SizeDoubt, verdicts: Sequence[Verdict]) -> str:
    """``; holds from 5 up``, where the loops agree on one end; else how many change."""
    ends = {
        (one.side, one.size)
        for each in verdicts
        if each.sensitivity is not None
        for one in each.sensitivity.break_evens
        if one.name in doubt.names
    }
    if not ends:
        return ""
    if len(ends) > 1:
        return f"; other values change {len(ends)} verdicts"
    [(side, size)] = ends
    number = whole_number(size)
    return f"; holds from {number} up" if side == "from" else f"; holds up to {number}"
