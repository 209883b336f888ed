"""SARIF 2.1.0, as GitHub code scanning, editors and reviewdog read it: one run.

GitHub shows an alert in a pull request only where all lines of its region changed, so a region is
the loop's header; it computes ``primaryLocationLineHash`` itself, so ours stands beside that.
"""

import os
from collections.abc import Iterable
from urllib.parse import quote

from rooflint.escaping import json_text, visible
from rooflint.ir import Span
from rooflint.plugin_api.action import Severity
from rooflint.plugin_api.advice import Advice, Edit
from rooflint.plugin_api.prediction import Json
from rooflint.plugin_api.report import FileReport, Report, RuleText
from rooflint.render.findings import file_findings
from rooflint.render.findings.links import SOURCE, rule_link
from rooflint.render.verdicts import advised_to_json

Object = dict[str, Json]

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LONGEST_TEXT = 1024
"""Characters that GitHub shows of a description."""
LEVELS: dict[Severity, str] = {
    "error": "error",
    "warning": "warning",
    "note": "note",
    "hint": "note",
}
PROBLEMS: dict[Severity, str] = {
    "error": "error",
    "warning": "warning",
    "note": "recommendation",
    "hint": "recommendation",
}
PRECISION = {"high": "high", "medium": "medium", "low": "low"}


def render_sarif(report: Report) -> str:
    """The whole log; the machines together are its category."""
    machines = "+".join([machine.name for machine in report.machines])
    run = _run(report, machines, file_findings.findings_of(report))
    log: Object = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json_text(log) + "\n"


def _run(report: Report, machines: str, found: list[file_findings.FileFinding]) -> Object:
    rules = _rules(report.rules, found)
    places = {rule.code: number for number, rule in enumerate(rules)}
    driver: Object = {
        "name": "rooflint",
        "semanticVersion": report.version,
        "informationUri": SOURCE,
        "rules": [_rule(rule, found, report.version) for rule in rules],
    }
    failures: list[Json] = [_notification(*each) for each in file_findings.analysis_errors(report)]
    failures += [
        {"level": "error", "message": {"text": visible(text)}} for text in report.plugin_failures
    ]
    invocation: Object = {
        "executionSuccessful": not report.plugin_failures,
        "toolExecutionNotifications": failures,
    }
    return {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"rooflint/{machines}/" if machines else "rooflint/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": [_result(each, places[each.advice.code]) for each in found],
    }


def _rules(known: Iterable[RuleText], found: Iterable[file_findings.FileFinding]) -> list[RuleText]:
    """Those with findings, by code; of one that the report does not explain, what is known."""
    texts = {rule.code: rule for rule in known}
    codes = {each.advice.code: each.advice.slug for each in found}
    return [
        texts.get(code) or RuleText(code, slug, slug.replace("-", " "))
        for code, slug in sorted(codes.items())
    ]


def _rule(rule: RuleText, found: Iterable[file_findings.FileFinding], version: str) -> Object:
    own = [each.advice for each in found if each.advice.code == rule.code]
    worst = min([advice.severity for advice in own], key=list(LEVELS).index)
    summary = rule.summary[:LONGEST_TEXT]
    text: Object = {"text": rule.page or summary}
    link = rule_link(rule.code, rule.slug, version)
    return {
        "id": rule.code,
        "name": "".join(map(str.capitalize, rule.slug.split("-"))),
        "shortDescription": {"text": summary},
        "fullDescription": {"text": summary},
        "help": {**text, "markdown": rule.page} if rule.page else text,
        **({"helpUri": link} if link else {}),
        "defaultConfiguration": {"level": LEVELS[worst]},
        "properties": {
            "tags": ["performance"],
            "precision": PRECISION[min([a.confidence for a in own], key=list(PRECISION).index)],
            "problem.severity": PROBLEMS[worst],
        },
    }


def _result(found: file_findings.FileFinding, rule: int) -> Object:
    file, advice = found
    result: Object = {
        "ruleId": advice.code,
        "ruleIndex": rule,
        "level": LEVELS[advice.severity],
        "message": {"text": visible(advice.message)},
        "locations": [{"physicalLocation": _place(file, advice.span)}],
        "partialFingerprints": {"loopFingerprint/v1": advice.fingerprint},
        "rank": round(file_findings.share_percent(advice), 1),
        "properties": _properties(advice),
    }
    if advice.gain is None and advice.severity != "error":
        result["kind"] = "informational"
        result["level"] = "none"
    if advice.related:
        result["relatedLocations"] = [
            {
                "id": number,
                "message": {"text": visible(other.message)},
                "physicalLocation": _place(file, other.span),
            }
            for number, other in enumerate(advice.related)
        ]
    if advice.fix is not None and (edits := file_findings.portable_edits(advice)):
        replacements: list[Json] = [_replacement(file, edit) for edit in edits]
        change: Object = {"artifactLocation": _artifact(file), "replacements": replacements}
        text = f"{visible(advice.fix.title)} ({advice.fix.safety})"
        result["fixes"] = [{"description": {"text": text}, "artifactChanges": [change]}]
    return result


def _properties(advice: Advice) -> Object:
    found: Object = {"function": visible(advice.function), "confidence": advice.confidence}
    if advice.gain is not None:
        found["gain"] = advice.gain.low
    if advice.numbers is not None:
        found["savedSecondsAtLeast"] = advice.numbers.saved_seconds
    if advice.about is not None:
        found["rooflint"] = advised_to_json(advice, advice.about)
    found["assumptions"] = [*map(visible, advice.assumptions), *map(visible, advice.doubts)]
    return found


def _place(file: FileReport, span: Span) -> Object:
    return {"artifactLocation": _artifact(file), "region": _region(file, span)}


def _artifact(file: FileReport) -> Object:
    path = file_findings.relative(file.path)
    return {"uri": ("file://" if path.startswith("/") else "") + quote(os.fsencode(path))}


def _region(file: FileReport, span: Span) -> Object:
    return {
        "startLine": max(1, span.line),
        "startColumn": max(1, file_findings.character(file, span.line, span.column)),
        "endLine": max(1, span.end_line),
        "endColumn": max(1, file_findings.character(file, span.end_line, span.end_column)),
    }


def _replacement(file: FileReport, edit: Edit) -> Object:
    return {"deletedRegion": _region(file, edit.span), "insertedContent": {"text": edit.text}}


def _notification(file: FileReport, line: int, message: str) -> Object:
    place: Object = {"artifactLocation": _artifact(file), "region": {"startLine": max(1, line)}}
    return {
        "level": "error",
        "message": {"text": visible(message)},
        "locations": [{"physicalLocation": place}],
    }
