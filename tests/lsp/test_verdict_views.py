"""What an editor shows is the verdict of the JSON report, loop by loop and on several machines."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls", reason="pygls comes with the extra [test]")

from rooflint.compile_flags.sources import Source
from rooflint.lint import lint_file
from rooflint.pipeline.live.child import answerer
from rooflint.pipeline.live.messages import BufferRequest
from rooflint.pipeline.run import Analysis
from rooflint.pipeline.setup.options import Options
from rooflint.plugin_api.advice import gain_text
from rooflint.plugin_api.report import Report
from rooflint.plugin_api.verdict import TimeRelation, Verdict
from rooflint.registry import load_registry
from rooflint.render.verdicts import verdict_to_json
from rooflint.verdict.choose import MOST_HINTS
from rooflint.verdict.figures import figure, share_text
from rooflint.verdict.steps import with_verdicts
from rooflint.verdict.words import LONGEST_HINT
from rooflint_lsp.documents.document import TextChange, TextPosition
from rooflint_lsp.documents.open_files import ShownReport
from rooflint_lsp.documents.settings import ESTIMATORS, Settings
from rooflint_lsp.documents.tracking import TrackedReport
from rooflint_lsp.documents.verdicts import first_verdicts
from rooflint_lsp.views.chosen import hinted_loops, hot_loops
from rooflint_lsp.views.hover import HoverPlace, hover_text
from rooflint_lsp.views.markup import HoverFormat

KERNELS = Path(__file__).parents[1] / "kernels"
PROGRAMS = ("walks.c", "calls.c", "structs.c", "templates.cpp")
MACHINES = ("generic-avx2", "skylake-sp-6148", "cell")
PLACE = HoverPlace("file:///a.c", 0)
PLAIN = HoverFormat(markdown=False)
SUM = """double total(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n * n * n; i++)
        sum += x[i];
    return sum;
}
void column(double a[600][600], double b[600][600])
{
    for (int j = 0; j < 600; j++)
        for (int i = 0; i < 600; i++)
            a[i][j] = b[i][j];
}
"""


def shown_report(path: str, text: str, machines: tuple[str, ...], lint: bool) -> ShownReport:
    """A file as the server has it after its analysis, and after the search for findings."""
    settings = Settings(machine=machines)
    request = BufferRequest(options=settings.options, path=path, text=text.encode())
    seen = answerer(lint_file, low_priority=False)(request)
    assert seen is not None
    marks = TrackedReport(seen.result.report, text.splitlines(keepends=True))
    if lint:
        search = answerer(lint_file, low_priority=False)
        for function in marks.functions:
            line = function.start.line + 1
            asked = request._replace(options=settings.lint_options, lines=(line, line))
            answer = search(asked)
            assert answer is not None
            marks.replace_findings(answer.result.report.findings, 0)
    return ShownReport(seen, seen.result.report, marks, {}).judged({})


def reported(path: str, machines: tuple[str, ...], advice: bool) -> Report:
    """The report of which ``analyze --format json`` lists the verdicts."""
    options = Options(
        machines=machines, estimators=ESTIMATORS, advice=advice, limiters=not advice, jobs=1
    )
    analysis = Analysis(options, load_registry(), lint_file)
    list(analysis.files([Source(path)]))
    return with_verdicts(analysis.report())


def as_json(verdicts: Any) -> dict[tuple[str, str], Any]:
    return {(each.id, each.machine): verdict_to_json(each) for each in verdicts}


@pytest.fixture(scope="module", params=PROGRAMS)
def program(request: pytest.FixtureRequest) -> Iterator[tuple[str, ShownReport]]:
    path = str(KERNELS / request.param)
    yield path, shown_report(path, Path(path).read_text(), MACHINES, lint=False)


def test_the_editor_and_the_report_have_the_same_verdicts(
    program: tuple[str, ShownReport],
) -> None:
    path, shown = program
    own = as_json(verdict for group in shown.verdicts.values() for verdict in group)
    assert own == as_json(reported(path, MACHINES, advice=False).verdicts)


def test_each_hover_says_what_its_hint_says(program: tuple[str, ShownReport]) -> None:
    _, shown = program
    hints = hinted_loops(shown, "all")
    assert hints
    for each in hints:
        text = hover_text(shown, each.loop, PLACE, PLAIN)
        assert text is not None
        first, second = text.splitlines()[:2]
        assert first == each.text
        assert len(first) <= LONGEST_HINT
        check_time(second, each.verdict)


def check_time(line: str, verdict: Verdict) -> None:
    """The numbers of a hover's second line, read back, are those of the record."""
    if verdict.time.relation is TimeRelation.UNKNOWN:
        assert line.startswith("not predicted")
        return
    match = re.match(r"(?:≥ )?([\d.]+)(?:–[\d.]+)?(?: → ([\d.]+))? cy per iteration", line)
    assert match is not None
    now = verdict.time.now_cy
    assert now is not None
    assert match[1] in (figure(now), figure(now).removesuffix(".0"))
    if match[2] is not None:
        assert match[2] == figure(verdict.time.possible_cy or 0)
    if verdict.weight.share is not None:
        assert f"{share_text(verdict.weight.share)} of the " in line


def test_lists_are_ranked_and_hints_are_few(program: tuple[str, ShownReport]) -> None:
    _, shown = program
    shares = [each.verdict.weight.share or 0.0 for each in hot_loops(shown)]
    assert shares == sorted(shares, reverse=True)
    loops = {(each.place.line, each.place.column) for each in first_verdicts(shown.verdicts)}
    assert len(hinted_loops(shown, "problems")) <= max(1, MOST_HINTS * len(loops))


@pytest.fixture(scope="module")
def advised(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ShownReport]:
    path = tmp_path_factory.mktemp("advised") / "sum.c"
    path.write_text(SUM)
    return str(path), shown_report(str(path), SUM, MACHINES[:1], lint=True)


def test_advice_of_the_editor_is_that_of_the_report(advised: tuple[str, ShownReport]) -> None:
    path, shown = advised
    own = as_json(first_verdicts(shown.verdicts))
    report = as_json(reported(path, MACHINES[:1], advice=True).verdicts)
    assert {name: each["advice"] for name, each in own.items()} == {
        name: each["advice"] for name, each in report.items()
    }
    assert all(each["advice"] is not None for each in own.values())


def test_a_gain_stands_in_hint_hover_and_list_alike(advised: tuple[str, ShownReport]) -> None:
    _, shown = advised
    for each in hot_loops(shown):
        gain = gain_text(each.verdict.time.gain)
        text = hover_text(shown, each.loop, PLACE, PLAIN)
        assert text is not None
        assert gain in each.text
        assert gain in text.splitlines()[0]
        check_time(text.splitlines()[1], each.verdict)
        advice = each.verdict.advice
        assert advice is not None
        assert f"with {advice.rule}" in text


def test_edits_above_a_nest_keep_the_advice_on_it(advised: tuple[str, ShownReport]) -> None:
    _, shown = advised
    before = as_json(first_verdicts(shown.verdicts))
    start = TextPosition(0, 0)
    change = TextChange(1, start=start, end=start, stop=TextPosition(3, 0))
    assert not shown.marks.follow([change])
    assert as_json(first_verdicts(shown.judged({}).verdicts)) == before
