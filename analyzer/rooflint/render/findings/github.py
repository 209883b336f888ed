"""Annotations of GitHub Actions: a line for each finding, which the log turns into a mark."""

from rooflint.escaping import visible
from rooflint.plugin_api.action import Severity
from rooflint.plugin_api.advice import Advice
from rooflint.plugin_api.report import Report
from rooflint.render.findings import file_findings

SHOWN = 10
"""GitHub takes so many of each kind from a step and drops the rest without a word."""
KINDS: dict[Severity, str] = {
    "error": "error",
    "warning": "warning",
    "note": "notice",
    "hint": "notice",
}


def render_github(report: Report) -> str:
    """Those of the most time saved first; the last line counts what does not fit."""
    lines: list[str] = []
    said = dict.fromkeys(KINDS.values(), 0)
    dropped = 0
    for file, line, message in file_findings.analysis_errors(report):
        place = f"file={_value(file_findings.relative(file.path))},line={line}"
        lines.append(f"::notice {place},title=rooflint::{_text(message)}")
        said["notice"] += 1
    found = file_findings.by_time_saved(file_findings.findings_of(report))
    for each in found:
        kind = KINDS[each.advice.severity]
        said[kind] += 1
        if said[kind] > SHOWN:
            dropped += 1
        else:
            lines.append(f"::{kind} {_place(each)}::{_text(each.advice.message)}")
    if dropped:
        lines.append(f"rooflint: {dropped} of {len(found)} findings not shown as annotations")
    return "".join(f"{line}\n" for line in lines)


def _place(found: file_findings.FileFinding) -> str:
    file, advice = found
    values = {
        "file": found.path,
        "line": advice.span.line,
        "endLine": advice.span.end_line,
        "col": file_findings.character(file, advice.span.line, advice.span.column),
        "endColumn": file_findings.character(file, advice.span.end_line, advice.span.end_column),
        "title": title(advice),
    }
    return ",".join(f"{key}={_value(str(value))}" for key, value in values.items())


def title(advice: Advice) -> str:
    """``RL101 column-walk``."""
    return f"{advice.code} {advice.slug}"


def _text(text: str) -> str:
    return visible(text).replace("%", "%25")


def _value(text: str) -> str:
    return _text(text).replace(":", "%3A").replace(",", "%2C")
