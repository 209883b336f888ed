"""Markdown for a comment on a pull request or for the summary of a job: the top of the list."""

import re

from rooflint.render.findings.listed import Found, by_time_saved, found_in, one_line, saved_seconds
from rooflint.render.layout import plural
from rooflint.report import Report

SHOWN = 50
"""Rows; a job's summary may have 1 MiB, and nobody reads more."""


def render_markdown(report: Report) -> str:
    """A heading, a table of what saves most, and what it rests on."""
    found = by_time_saved(found_in(report))
    files = plural(len(report.files), "file")
    if not found:
        return f"### Rooflint: nothing found in {files}\n"
    lines = [
        f"### Rooflint: {plural(len(found), 'finding')} in {files}",
        "",
        "| place | rule | finding | gain | saved a call |",
        "| --- | --- | --- | --: | --: |",
        *[_row(each) for each in found[:SHOWN]],
    ]
    if len(found) > SHOWN:
        lines += ["", f"{len(found) - SHOWN} more: `rooflint lint` lists them."]
    machines = ", ".join(_escaped(machine.name) for machine in report.machines)
    lines += ["", f"Predicted for {machines}, not measured."]
    return "\n".join(lines) + "\n"


def _row(found: Found) -> str:
    advice = found.advice
    gain = f"{advice.gain.low:.1f}×" if advice.gain else ""
    saved = saved_seconds(advice)
    cells = (
        _escaped(f"{found.path}:{advice.span.line}"),
        f"{advice.code} {_escaped(advice.slug)}",
        _escaped(advice.message),
        gain,
        f"{_seconds(saved)}" if saved else "",
    )
    return f"| {' | '.join(cells)} |"


def _seconds(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def _escaped(text: str) -> str:
    """Names from source are text, not markup: neither HTML, links, mentions nor table cells."""
    return re.sub(r"([\\`*_{}\[\]<>()#+!|~@&$])", r"\\\1", one_line(text))
