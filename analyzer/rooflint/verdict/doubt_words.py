"""Doubts about a verdict in words: its reasons, and the sizes from which it changes."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from rooflint.plugin_api.verdict import GapKind, Verdict, VerdictReason
from rooflint.verdict.words import middle_cut

REASON_WORDS: Final[Mapping[VerdictReason, str]] = MappingProxyType(
    {
        VerdictReason.FLOOR_ABOVE_ESTIMATE: "the roof is above the estimate, so the roof counts",
        VerdictReason.MODELS_DIFFER: "a second model's time differs by more than 2×",
        VerdictReason.NO_ESTIMATE: "no model estimates the time; the roof alone is known",
        VerdictReason.NOT_PREDICTED: "no model answers",
        VerdictReason.CODE_NOT_COUNTED: "a part of the loop is not counted",
        VerdictReason.UNKNOWN_ADDRESSES: "the time depends on addresses that only a run knows",
        VerdictReason.UNKNOWN_BRANCHES: "the time depends on how well branches on data are guessed",
        VerdictReason.SIZE_GUESSED: "a size is guessed",
        VerdictReason.SIZE_DECIDES: "the verdict changes with a guessed size",
        VerdictReason.GENERIC_MACHINE: "the machine is generic, not this computer",
        VerdictReason.ADVICE_DOUBTED: "the gain of the change is in doubt",
        VerdictReason.MEASUREMENT_REFUTES: "a measured time refutes the prediction",
        VerdictReason.INTERNAL: "an internal error cost this loop its verdict",
    }
)


def doubt_lines(verdict: Verdict) -> Iterator[str]:
    """Reasons, sizes from which the verdict holds, and code that its time leaves out."""
    for reason in verdict.reasons:
        yield REASON_WORDS[reason]
    known = verdict.sensitivity
    for each in known.break_evens if known is not None else ():
        yield f"holds {each}"
    by_name: dict[tuple[GapKind, str], list[int]] = {}
    for gap in verdict.gaps:
        by_name.setdefault((gap.kind, gap.name), []).append(gap.line)
    for (kind, name), lines in list(by_name.items())[:MOST_GAPS]:
        begin, end = _GAPS[kind]
        yield f"{begin}{middle_cut(name, LONGEST_NAME)}{end} ({_line_words(lines)})"
    if len(by_name) > MOST_GAPS:
        yield f"{len(by_name) - MOST_GAPS} more left out: --format json has them"


MOST_GAPS: Final = 4
"""Gaps that have a line of their own; JSON has them all."""
LONGEST_NAME: Final = 60
_GAPS: Final[Mapping[GapKind, tuple[str, str]]] = MappingProxyType(
    {
        GapKind.CALL: ("call of ", ": not counted"),
        GapKind.HEADER: ("", " not found"),
        GapKind.ACCESS: ("addresses of ", ": known only to a run"),
        GapKind.SIZE: ("size ", ": unknown"),
        GapKind.REFUSAL: ("", ": not read"),
    }
)


def _line_words(lines: Sequence[int]) -> str:
    """``line 9``, ``lines 242 to 267``: first and last."""
    first, last = min(lines), max(lines)
    return f"line {first}" if first == last else f"lines {first} to {last}"
