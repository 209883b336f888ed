"""Reports as an editor's server shows them, for tests of its doors."""

from rooflint.pipeline.files import FileResult
from rooflint.pipeline.live.messages import BufferResult
from rooflint.plugin_api.report import Report
from rooflint_lsp.documents.open_files import ShownReport
from rooflint_lsp.documents.tracking import TrackedReport
from rooflint_lsp.views.hover import HoverPlace, hover_text
from rooflint_lsp.views.markup import HoverFormat


def shown_report(report: Report, text: str) -> ShownReport:
    """The first file of a report, with verdicts."""
    file = report.files[0]
    seen = BufferResult(FileResult(file), report.machines)
    marks = TrackedReport(file, text.splitlines(keepends=True))
    return ShownReport(seen, file, marks, {}).judged({})


def hover_of(report: Report, text: str, markdown: bool = False) -> str:
    """The hover of its first loop."""
    shown = shown_report(report, text)
    loop = next(shown.marks.loops)
    hover = hover_text(shown, loop, HoverPlace("file:///t.c", 0), HoverFormat(markdown))
    assert hover is not None
    return hover
