"""JUnit's XML, as Jenkins and Azure read it: a suite per file, a test per loop that was looked at.

The one format that lists what passed: "all hot loops are near their bound" as a gate.
"""

from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from rooflint.escaping import visible
from rooflint.plugin_api.advice import Advice
from rooflint.plugin_api.report import FileReport, NestReport, Report
from rooflint.render.findings.file_findings import relative

FAILS = ("error", "warning")
"""Other severities are told as output of a test that passes."""


CASES = {"tests": "testcase", "failures": "testcase/failure", "errors": "testcase/error"}
"""The totals of a suite, and where what they count stands in it."""


def render_junit(report: Report) -> str:
    """One document; a file that could not be analysed is a test with an error."""
    root = Element("testsuites", name="rooflint")
    totals = dict.fromkeys(CASES, 0)
    for file in report.files:
        suite = _suite(file)
        root.append(suite)
        for key in totals:
            totals[key] += int(suite.get(key, "0"))
    for key, value in totals.items():
        root.set(key, str(value))
    indent(root, " ")
    return f"<?xml version='1.0' encoding='utf-8'?>\n{tostring(root, encoding='unicode')}\n"


def _suite(file: FileReport) -> Element:
    path = relative(file.path)
    suite = Element("testsuite", name=visible(path))
    left = list(file.findings)
    for function in file.functions:
        for nest in function.nests:
            own = [advice for advice in left if _is_inside(advice, nest)]
            left = [advice for advice in left if not _is_inside(advice, nest)]
            _test(suite, path, f"{function.name}: loop in line {nest.line}", own)
    for advice in left:
        _test(suite, path, f"{advice.function or path}: line {advice.span.line}", [advice])
    if file.status == "failed":
        messages = "; ".join(diagnostic.message for diagnostic in file.diagnostics)
        case = SubElement(suite, "testcase", classname=visible(path), name="analysis")
        SubElement(case, "error", message=visible(messages))
    for total, cases in CASES.items():
        suite.set(total, str(len(suite.findall(cases))))
    return suite


def _is_inside(advice: Advice, nest: NestReport) -> bool:
    return nest.line <= advice.span.line <= nest.end_line


def _test(suite: Element, path: str, name: str, findings: Iterable[Advice]) -> None:
    case = SubElement(suite, "testcase", classname=visible(path), name=visible(name))
    failing = [advice for advice in findings if advice.severity in FAILS]
    others = [advice for advice in findings if advice.severity not in FAILS]
    if failing:
        first, *_ = failing
        failure = SubElement(
            case, "failure", message=visible(first.message), type=visible(first.code)
        )
        failure.text = "\n".join(_line(path, advice) for advice in failing)
    if others:
        SubElement(case, "system-out").text = "\n".join(_line(path, advice) for advice in others)


def _line(path: str, advice: Advice) -> str:
    return visible(f"{path}:{advice.span.line}: {advice.message} [{advice.code}]")
