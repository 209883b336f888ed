"""The Reviewdog Diagnostic Format, which puts findings and their fixes on a pull request."""

from rooflint.escaping import json_text, visible
from rooflint.ir import Span
from rooflint.plugin_api.action import Severity
from rooflint.plugin_api.prediction import Json
from rooflint.plugin_api.report import Report
from rooflint.render.findings.file_findings import FileFinding, findings_of, portable_edits

SEVERITIES: dict[Severity, str] = {
    "error": "ERROR",
    "warning": "WARNING",
    "note": "INFO",
    "hint": "INFO",
}


def render_rdjson(report: Report) -> str:
    """One result; columns are UTF-8 bytes from 1 and ends exclusive, as here."""
    result: dict[str, Json] = {
        "source": {"name": "rooflint"},
        "diagnostics": [_diagnostic(found) for found in findings_of(report)],
    }
    return json_text(result) + "\n"


def _diagnostic(found: FileFinding) -> Json:
    advice = found.advice
    diagnostic: dict[str, Json] = {
        "message": visible(advice.message),
        "location": {"path": visible(found.path), "range": _range(advice.span)},
        "severity": SEVERITIES[advice.severity],
        "code": {"value": advice.code},
    }
    if advice.related:
        diagnostic["related_locations"] = [
            {
                "message": visible(other.message),
                "location": {"path": visible(found.path), "range": _range(other.span)},
            }
            for other in advice.related
        ]
    if edits := portable_edits(advice):
        diagnostic["suggestions"] = [
            {"range": _range(edit.span), "text": edit.text} for edit in edits
        ]
    return diagnostic


def _range(span: Span) -> Json:
    return {
        "start": {"line": span.line, "column": span.column},
        "end": {"line": span.end_line, "column": span.end_column},
    }
