"""Lines as compilers print them, which editors and problem matchers read."""

from rooflint.escaping import visible
from rooflint.ir import Span
from rooflint.plugin_api.report import Report
from rooflint.render.findings.file_findings import errors_of_failed_files, findings_of


def render_gcc(report: Report) -> str:
    """``path:line:column: warning: text [RL101]``, columns in bytes; related places as notes."""
    lines: list[str] = []
    for file, line, message in errors_of_failed_files(report):
        lines.append(
            _line(
                file.path, Span(line=line, column=1, end_line=line, end_column=1), "error", message
            )
        )
    for found in findings_of(report):
        advice = found.advice
        severity = "note" if advice.severity == "hint" else advice.severity
        text = f"{advice.message} [{advice.code}]"
        lines.append(_line(found.file.path, advice.span, severity, text))
        for related in advice.related:
            lines.append(_line(found.file.path, related.span, "note", related.message))
    return "".join(f"{line}\n" for line in lines)


def _line(path: str, span: Span, severity: str, text: str) -> str:
    return visible(f"{path}:{span.line}:{span.column}: {severity}: {text}")
