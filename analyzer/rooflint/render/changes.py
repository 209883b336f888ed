"""Functions that became slower or faster, for people, pull requests and programs."""

import math
from collections.abc import Callable, Iterator, Sequence

from rooflint.compare.comparison import Comparison, FunctionChange
from rooflint.compare.reasons import NOTABLE
from rooflint.escaping import json_text, visible
from rooflint.machine.quantities import format_duration
from rooflint.pipeline.setup.counterparts import SettingDifference
from rooflint.plugin_api.prediction import Json
from rooflint.plugin_api.report import MachineReport
from rooflint.records import NamedTuple
from rooflint.render import phrases
from rooflint.render.layout import Style, escape_markdown, plural, wrap

LISTED = 20
"""Names of functions that only one side has; more are counted."""
UNSET = "(not set)"


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
    lines = [visible(f"{report.old} -> {report.new}, predicted for {_machines(report)}")]
    for sentence in (*_doubts(report), *_settings(report)):
        lines += wrap(visible(sentence), style.width)
    lines.append("")
    for change in _notable(report):
        verdict = f"{_verdict(change):>12}"
        if change.ratio >= report.threshold:
            verdict = style.paint(verdict, "red")
        name = style.paint(visible(change.function), "bold")
        lines.append(f"{verdict}  {name}  {visible(_place(change))}  {_times(change)}")
        for sentence in (*change.reasons, _sizes(change)):
            lines += wrap(sentence, style.width, 14, 16) if sentence else []
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
                _verdict(change),
                _times(change),
                "; ".join(filter(None, [*change.reasons, _sizes(change)])),
            )
            lines.append(f"| {' | '.join(map(escape_markdown, cells))} |")
        lines.append("")
    ends = (
        f"{report.old} -> {report.new}, predicted for {_machines(report)}, not measured.",
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
            "model": change.model or None,
            "before_s": change.before_s,
            "after_s": change.after_s,
            "ratio": change.ratio if math.isfinite(change.ratio) else None,
            "reasons": list(change.reasons),
            "sizes": {name: size._asdict() for name, size in change.sizes.items()},
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
        if c.ratio >= least or c.ratio * least <= 1 or not c.model
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


def _verdict(change: FunctionChange) -> str:
    if not change.model:
        return "not known"
    if change.ratio >= 1:
        return f"{change.ratio:.3g}x slower"
    return f"{1 / change.ratio:.3g}x faster" if change.ratio else "no time left"


def _times(change: FunctionChange) -> str:
    if change.before_s is None or change.after_s is None:
        return ""
    return (
        f"{format_duration(change.before_s)} -> {format_duration(change.after_s)} ({change.model})"
    )


def _sizes(change: FunctionChange) -> str:
    return ", ".join([f"{name} = {s.value} ({s.origin})" for name, s in change.sizes.items()])
