"""Words and sentences that the doors of a run print: what a reader may ask ``rooflint explain``."""

import re
from collections.abc import Iterator
from typing import Final

from rooflint.render.html.rows import loop_rows
from rooflint.render.layout import Style
from rooflint.render.ranked.detail import LoopDetails
from rooflint.render.ranked.report import render_ranked
from rooflint.render.ranked.request import RankedRequest, ReportView
from rooflint_lsp.views.chosen import hint_of
from rooflint_lsp.views.hints import file_words
from rooflint_lsp.views.hover import HoverPlace, hover_text
from rooflint_lsp.views.markup import HoverFormat

from .doors import RunDoors
from .page_door import document_of

WIDE: Final = Style(width=2000)
PLAIN: Final = HoverFormat(markdown=False)
PLACE: Final = HoverPlace("file:///a.c", 0)
TIME_UNITS: Final = re.compile(r"(?<![\w.])(?:\d[\d.]*|[\d.]+ → [\d.]+) (cy|s|ms|µs|us|ns)\b")


def terms_of(doors: RunDoors) -> Iterator[str]:
    """Terms of the texts: labels, headings, limiters, terms, roofs, rules and models."""
    report = doors.report
    quiet = RankedRequest(view=ReportView.ALL, quiet=True)
    heading, *rows = render_ranked(report, WIDE, quiet).splitlines()
    yield from heading.replace("→", " ").split()
    for row in rows:
        yield from re.findall(r"RL\d+", row)
        if limit := re.search(r"\s{2,}([a-zA-Z][\w ]*?)(?: (?:< )?\d+ %)?\s{2,}", row):
            yield limit[1]
    details = LoopDetails(report, WIDE, RankedRequest())
    for verdict in doors.verdicts:
        yield from _terms_of_details(list(details.lines(verdict, full=True)))
    for file in report.files:
        for kernel in file.kernels():
            for result in kernel.results:
                yield from [each.model for each in (*result.predictions, *result.estimates)]
                yield from [each.code for each in result.advice]


def _terms_of_details(lines: list[str]) -> Iterator[str]:
    in_table = False
    for line in lines[1:]:
        if found := re.match(r"    term\s+cy", line):
            in_table = True
        elif in_table and line.startswith("    "):
            yield from re.findall(r"[A-Za-z][\w-]*(?: [a-z][\w-]*)*", line)
        elif found := re.match(r"  ([a-z][a-z ]*?)\s{2,}\S", line):
            in_table = False
            yield found[1]
        yield from re.findall(r"RL\d+", line)


def page_terms(doors: RunDoors) -> Iterator[str]:
    """Headings of details and names of limiters on the page."""
    data = document_of(doors.page_text)
    for group in data["groups"]:
        yield data["texts"][group[0]]
    for place in data["machines"][0]["verdicts"]["limiter"]:
        if place is not None:
            yield data["texts"][place]


def sentences_of(doors: RunDoors) -> Iterator[str]:
    """Every line of report, details, hints, hovers, lenses and findings."""
    report = doors.report
    yield from render_ranked(report, WIDE, RankedRequest()).splitlines()
    details = LoopDetails(report, WIDE, RankedRequest())
    for verdict in doors.verdicts:
        yield from details.lines(verdict, full=True)
    for shown in doors.shown.values():
        yield file_words(shown)
        for loop in shown.marks.loops:
            hinted = hint_of(shown, loop)
            if hinted is not None:
                yield hinted.text
                yield from (hover_text(shown, loop, PLACE, PLAIN) or "").splitlines()
    for file in report.files:
        yield from [advice.message for advice in file.findings]
    for row in loop_rows(report):
        yield from [str(row.refusal)] if row.refusal is not None else []


def time_units_in(sentence: str) -> set[str]:
    """The units of time that a sentence has."""
    return {"µs" if unit == "us" else unit for unit in TIME_UNITS.findall(sentence)}
