"""The Reviewdog Diagnostic Format, which puts findings and their fixes on a pull request."""

import json

from rooflint.advice import Severity
from rooflint.ir import Span
from rooflint.prediction import Json
from rooflint.render.findings.listed import Found, found_in
from rooflint.report import Report

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
        "diagnostics": [_diagnostic(found) for found in found_in(report)],
    }
    return json.dumps(result, indent=1, ensure_ascii=False) + "\n"


def _diagnostic(found: Found) -> Json:
    advice = found.advice
    diagnostic: dict[str, Json] = {
        "message": advice.message,
        "location": {"path": found.path, "range": _range(advice.span)},
        "severity": SEVERITIES[advice.severity],
        "code": {"value": advice.code},
    }
    if advice.related:
        diagnostic["related_locations"] = [
            {
                "message": other.message,
                "location": {"path": found.path, "range": _range(other.span)},
            }
            for other in advice.related
        ]
    if advice.fix is not None and advice.fix.edits:
        diagnostic["suggestions"] = [
            {"range": _range(Span(*edit[:4])), "text": edit.text} for edit in advice.fix.edits
        ]
    return diagnostic


def _range(span: Span) -> Json:
    return {
        "start": {"line": span.line, "column": span.column},
        "end": {"line": span.end_line, "column": span.end_column},
    }
