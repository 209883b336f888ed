"""Code Quality of GitLab: the subset of Code Climate's format that its merge requests show."""

from rooflint.escaping import json_text, visible
from rooflint.plugin_api.action import Severity
from rooflint.plugin_api.prediction import Json
from rooflint.plugin_api.report import Report
from rooflint.render.findings.file_findings import findings_of

SEVERITIES: dict[Severity, str] = {
    "error": "critical",
    "warning": "major",
    "note": "minor",
    "hint": "info",
}


def render_gitlab(report: Report) -> str:
    """A list, empty where nothing was found; fingerprints survive edits elsewhere in the file."""
    issues: list[Json] = []
    seen: dict[str, int] = {}
    for found in findings_of(report):
        advice = found.advice
        # two copies of a loop share theirs, and GitLab shows one of each
        number = seen[advice.fingerprint] = seen.get(advice.fingerprint, 0) + 1
        issues.append(
            {
                "description": visible(advice.message),
                "check_name": f"{advice.code} {advice.slug}",
                "fingerprint": advice.fingerprint + (f"-{number}" if number > 1 else ""),
                "severity": SEVERITIES[advice.severity],
                "location": {"path": visible(found.path), "lines": {"begin": advice.span.line}},
            }
        )
    return json_text(issues) + "\n"
