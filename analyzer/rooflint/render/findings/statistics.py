"""Findings counted: by rule, and by the time that they would save."""

from rooflint.escaping import visible
from rooflint.machine.quantities import format_duration
from rooflint.plugin_api.report import Report
from rooflint.render.findings.file_findings import findings_of, saved_seconds


def render_statistics(report: Report) -> str:
    """A line for each rule, that which saves most first: count, time saved, code, name."""
    counts: dict[tuple[str, str], list[float]] = {}
    for found in findings_of(report):
        advice = found.advice
        counts.setdefault((advice.code, advice.slug), []).append(saved_seconds(advice))
    ordered = sorted(counts.items(), key=lambda item: (-sum(item[1]), item[0]))
    lines = ["  count   saves/call  rule"] if ordered else []
    for (code, slug), saved in ordered:
        time = format_duration(sum(saved)) if sum(saved) else "-"
        lines.append(f"{len(saved):7d} {time:>12}  {visible(f'{code} {slug}')}")
    return "".join(f"{line}\n" for line in lines)
