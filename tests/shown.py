"""Reports as an editor's server shows them, for tests of its doors."""

from rooflint.lint import lint_file
from rooflint.pipeline.files import FileResult
from rooflint.pipeline.live.child import answerer
from rooflint.pipeline.live.messages import BufferRequest, BufferResult
from rooflint.plugin_api.report import Report
from rooflint_lsp.documents.open_files import ShownReport
from rooflint_lsp.documents.settings import Settings
from rooflint_lsp.documents.tracking import TrackedReport
from rooflint_lsp.views.hover import HoverPlace, hover_text
from rooflint_lsp.views.markup import HoverFormat


def shown_report(report: Report, text: str) -> ShownReport:
    """The first file of a report, with verdicts."""
    file = report.files[0]
    seen = BufferResult(FileResult(file), report.machines)
    marks = TrackedReport(file, text.splitlines(keepends=True))
    return ShownReport(seen, file, marks, {}).judged({})


def opened_report(path: str, text: str, settings: Settings, *, lint: bool = True) -> ShownReport:
    """A file as the server has it after its analysis, and after the search for findings."""
    request = BufferRequest(options=settings.options, path=path, text=text.encode())
    seen = answerer(lint_file, low_priority=False)(request)
    assert seen is not None
    marks = TrackedReport(seen.result.report, text.splitlines(keepends=True))
    if lint:
        search = answerer(lint_file, low_priority=False)
        options = settings.lint_options
        for function in marks.functions:
            line = function.start.line + 1
            answer = search(request._replace(options=options, lines=(line, line)))
            assert answer is not None
            marks.replace_findings(answer.result.report.findings, 0)
    return ShownReport(seen, seen.result.report, marks, {}).judged({})


def hover_of(report: Report, text: str, markdown: bool = False) -> str:
    """The hover of its first loop."""
    shown = shown_report(report, text)
    loop = next(shown.marks.loops)
    hover = hover_text(shown, loop, HoverPlace("file:///t.c", 0), HoverFormat(markdown))
    assert hover is not None
    return hover
