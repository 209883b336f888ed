"""Markdown for a comment on a pull request or for the summary of a job: the top of the list."""

from rooflint.machine.quantities import format_duration
from rooflint.plugin_api.report import Report, share_words
from rooflint.render.findings import file_findings
from rooflint.render.layout import escape_markdown, plural

SHOWN = 50
"""Rows; a job's summary may have 1 MiB, and nobody reads more."""


def render_markdown(report: Report) -> str:
    """A heading, a table of what saves most, and what it rests on."""
    found = file_findings.by_time_saved(file_findings.findings_of(report))
    files = plural(len(report.files), "file")
    if not found:
        return f"### Rooflint: nothing found in {files}\n"
    lines = [
        f"### Rooflint: {plural(len(found), 'finding')} in {files}",
        "",
        "| place | rule | finding | gain | saved a call, at least | of the time |",
        "| --- | --- | --- | --: | --: | --: |",
        *[_row(each) for each in found[:SHOWN]],
    ]
    if len(found) > SHOWN:
        lines += ["", f"{len(found) - SHOWN} more: `rooflint lint` lists them."]
    machines = ", ".join(escape_markdown(machine.name) for machine in report.machines)
    lines += ["", f"Predicted for {machines}, not measured."]
    return "\n".join(lines) + "\n"


def _row(found: file_findings.FileFinding) -> str:
    advice = found.advice
    gain = f"{advice.gain.low:.1f}×" if advice.gain else ""
    numbers = advice.numbers
    saved = file_findings.saved_seconds(advice)
    cells = (
        escape_markdown(f"{found.path}:{advice.span.line}"),
        escape_markdown(f"{advice.code} {advice.slug}"),
        escape_markdown(advice.message),
        gain,
        format_duration(saved) if saved else "",
        share_words(numbers.run_share, numbers.run_origin) if numbers and numbers.run_share else "",
    )
    return f"| {' | '.join(cells)} |"
