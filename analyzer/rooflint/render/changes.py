"""Functions that became slower or faster, for people, pull requests and programs."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from rooflint.compare.comparison import Comparison, FunctionChange
from rooflint.compare.reasons import NOTABLE
from rooflint.escaping import json_text, visible
from rooflint.pipeline.setup.counterparts import SettingDifference
from rooflint.plugin_api.advice import gain_text
from rooflint.plugin_api.prediction import Json
from rooflint.plugin_api.report import MachineReport
from rooflint.plugin_api.terms import Limiter
from rooflint.plugin_api.verdict import TimeRelation
from rooflint.records import NamedTuple
from rooflint.render import phrases
from rooflint.render.layout import Style, escape_markdown, plural, wrap
from rooflint.render.phrases import origin_words
from rooflint.verdict.figures import seconds_text, whole_number
from rooflint.verdict.words import resource_words

LISTED = 20
"""Names of functions that only one side has; more are counted."""
UNSET = "(not set)"
_INDENT: Final = 14
_SMALL: Final = 1.095
"""Ratios from which one digit tells them from 1."""


class ComparisonReport(NamedTuple):
    """A comparison with what its sides are called and from which ratio on it fails.

    settings  in which the two trees differ; both are judged by those of the new one
    """

    comparison: Comparison
    old: str
    new: str
    machines: tuple[MachineReport, ...]
    threshold: float
    settings: tuple[SettingDifference, ...] = ()


def render_changes(report: ComparisonReport, form: str, style: Style) -> str:
    """The comparison in one of FORMATS."""
    return _RENDERERS[form](report, style)


def _text(report: ComparisonReport, style: Style) -> str:
    lines = [visible(f"{report.old} → {report.new}, predicted for {_machines(report)}")]
    for sentence in (*_doubts(report), *_settings(report)):
        lines += wrap(visible(sentence), style.width)
    lines.append("")
    notable = _notable(report)
    widths = [max([len(text(each)) for each in notable], default=0) for text in (_ratio, _times)]
    for change in notable:
        ratio = f"{_ratio(change):>{widths[0]}}"
        if change.ratio >= report.threshold:
            ratio = style.paint(ratio, "red")
        name = style.paint(visible(change.function), "bold")
        head = f"{ratio}  {_times(change):<{widths[1]}}  {visible(_place(change))} {name}"
        lines.append(f"{head}{_limits(change, report)}")
        for sentence in (*change.reasons, _sizes(change)):
            lines += wrap(sentence, style.width, _INDENT, _INDENT + 2) if sentence else []
    lines += [line for sentence in _rest(report) for line in wrap(sentence, style.width)]
    return "\n".join(lines) + "\n"


def _markdown(report: ComparisonReport, _: Style) -> str:
    slower = report.comparison.slower(report.threshold)
    title = f"{plural(len(slower), 'function')} slower" if slower else "nothing slower"
    lines = [f"### Rooflint: {title}", ""]
    notable = _notable(report)
    if notable:
        lines += ["| function | predicted | time of a call | why |", "| --- | --: | --: | --- |"]
        for change in notable:
            cells = (
                f"{change.function} ({_place(change)})",
                _ratio(change),
                _times(change),
                "; ".join(
                    filter(None, [_limits(change, report)[2:], *change.reasons, _sizes(change)])
                ),
            )
            lines.append(f"| {' | '.join(map(escape_markdown, cells))} |")
        lines.append("")
    ends = (
        f"{report.old} → {report.new}, predicted for {_machines(report)}, not measured.",
        *_doubts(report),
        *_settings(report),
        *_rest(report),
    )
    lines += [escape_markdown(end) + "  " for end in ends]
    return "\n".join(lines) + "\n"


def _json(report: ComparisonReport, _: Style) -> str:
    found = report.comparison
    changes: list[Json] = [
        {
            "function": change.function,
            "path": change.path,
            "line": change.line,
            "relation": change.relation.value,
            "limiter_before": _limiter(change.was_limiter),
            "limiter": _limiter(change.limiter),
            "before_s": change.before_s,
            "after_s": change.after_s,
            "ratio": change.ratio if math.isfinite(change.ratio) else None,
            "reasons": list(change.reasons),
            "sizes": {
                name: {"value": size.value, "origin": size.origin}
                for name, size in change.sizes.items()
            },
        }
        for change in found.changes
    ]
    document: Json = {
        "schema_version": 1,
        "old": report.old,
        "new": report.new,
        "machines": [_machine(each) for each in report.machines],
        "settings": [difference._asdict() for difference in report.settings],
        "threshold": report.threshold,
        "slower": [change.function for change in found.slower(report.threshold)],
        "changes": changes,
        "added": list(found.added),
        "removed": list(found.removed),
        "failed": list(found.failed),
        "refused": {"old": found.refused[0], "new": found.refused[1]},
    }
    return json_text(document) + "\n"


_RENDERERS: dict[str, Callable[[ComparisonReport, Style], str]] = {
    "text": _text,
    "json": _json,
    "markdown": _markdown,
}
FORMATS = tuple(_RENDERERS)


def _notable(report: ComparisonReport) -> list[FunctionChange]:
    """Changes above the notable ratio, and those without a prediction."""
    least = min(NOTABLE, report.threshold)
    return [
        c
        for c in report.comparison.changes
        if c.ratio >= least or c.ratio * least <= 1 or c.relation is TimeRelation.UNKNOWN
    ]


def _settings(report: ComparisonReport) -> Iterator[str]:
    """The settings in which both trees differ, which explain a difference that is no change."""
    if report.settings:
        parts = [
            f"{setting} {old or UNSET} became {new or UNSET}"
            for setting, old, new in report.settings
        ]
        alike = "settings differ; both sides use those of"
        yield f"{alike} {report.new}: {'; '.join(parts)}"


def _rest(report: ComparisonReport) -> Iterator[str]:
    found = report.comparison
    same = len(found.changes) - len(_notable(report))
    if same:
        within = f"within {100 * (min(NOTABLE, report.threshold) - 1):.0f} %"
        yield f"{plural(same, 'function')} with loops as fast as before ({within})"
    if not found.changes:
        yield "no function with loops is in both versions"
    for what, names in (("only in new", found.added), ("only in old", found.removed)):
        if names:
            yield f"{what}: {_listed(names)}"
    if found.failed:
        yield f"not analysed, so left out: {_listed(found.failed)}"
    if any(found.refused):
        old, new = found.refused
        yield f"loops refused, so left out: {old} before, {new} now (analyze names them)"


def _listed(names: Sequence[str]) -> str:
    more = len(names) - LISTED
    return ", ".join(names[:LISTED]) + (f" and {more} more" if more > 0 else "")


def _machine(machine: MachineReport) -> dict[str, Json]:
    doubtful: list[Json] = [each._asdict() for each in machine.doubtful]
    return {"name": machine.name, "note": machine.note, "doubtful": doubtful}


def _doubts(report: ComparisonReport) -> list[str]:
    listed = [(m.name, [each.figure for each in m.doubtful]) for m in report.machines]
    return [phrases.doubt_words(name, figures) for name, figures in listed if figures]


def _machines(report: ComparisonReport) -> str:
    return " and ".join([f"{m.name} ({m.note})" if m.note else m.name for m in report.machines])


def _place(change: FunctionChange) -> str:
    return f"{change.path}:{change.line}"


def _ratio(change: FunctionChange) -> str:
    """``2.2× slower``."""
    if change.relation is TimeRelation.UNKNOWN:
        return "not predicted"
    if change.ratio >= 1:
        return f"{_times_words(change.ratio)} slower"
    return f"{_times_words(1 / change.ratio)} faster" if change.ratio else "no time left"


def _times_words(ratio: float) -> str:
    """A gain; that of a small one with a digit more, which else would print as none."""
    return gain_text(ratio) if ratio >= _SMALL else f"{ratio:.2f}×"


def _times(change: FunctionChange) -> str:
    """``14 → 31 µs``; ``≥14 → 31 µs`` of lower bounds."""
    if change.before_s is None or change.after_s is None:
        return ""
    mark = "≥" if change.relation is TimeRelation.AT_LEAST else ""
    return f"{mark}{seconds_text(change.before_s, change.after_s)}"


def _limits(change: FunctionChange, report: ComparisonReport) -> str:
    """``: now divider``; of two machines the reasons name what limits on each."""
    if change.limiter is None or len(report.machines) > 1:
        return ""
    now = "" if change.limiter == change.was_limiter else "now "
    return f": {now}{resource_words(change.limiter)}"


def _limiter(limiter: Limiter | None) -> Json:
    return None if limiter is None else resource_words(limiter)


def _sizes(change: FunctionChange) -> str:
    return ", ".join(
        f"{name} = {whole_number(size.value)} ({origin_words(size.origin)})"
        for name, size in change.sizes.items()
    )
