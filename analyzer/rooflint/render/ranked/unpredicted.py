"""Loops without a number: the reasons, the most frequent first, and headers that are missing."""

from collections.abc import Iterable, Iterator
from typing import Final

from rooflint.escaping import visible
from rooflint.plugin_api.report import Report
from rooflint.plugin_api.verdict import GapKind, Verdict
from rooflint.render.layout import Style, plural, truncate, with_label, wrap

MOST_REASONS: Final = 8
MOST_HEADERS: Final = 8
MOST_PLACES: Final = 6
LONGEST_REASON: Final = 60


def gap_reason(verdict: Verdict) -> str:
    """Why a loop has no number."""
    if not verdict.gaps:
        return "no model answers"
    gap = verdict.gaps[0]
    return f"call of {visible(gap.name)}()" if gap.kind is GapKind.CALL else visible(gap.name)


def missing_headers(report: Report, style: Style) -> Iterator[str]:
    """``a.cpp:1  Eigen/Dense not found: 3 loops not read; give -I DIR or -p BUILD_DIR``."""
    rows: list[tuple[str, str]] = []
    for file in report.files:
        missing = [each for each in file.diagnostics if each.kind == "missing-header"]
        for place, each in enumerate(missing):
            lost = ""
            if place == 0 and file.refusals:
                lost = f": {plural(len(file.refusals), 'loop')} not read"
            remedy = "" if rows else "; give -I DIR or -p BUILD_DIR"
            text = f"{each.subject} not found{lost}{remedy}"
            rows.append((f"{visible(file.path)}:{each.line}", text))
    for label, text in rows[:MOST_HEADERS]:
        yield from with_label(label, text, style._replace(colour=False), 0, len(label) + 2)
    if len(rows) > MOST_HEADERS:
        yield f"and {len(rows) - MOST_HEADERS} more"


def reasons(report: Report, verdicts: Iterable[Verdict], style: Style) -> Iterator[str]:
    """``4  call of read()   parse.c:14, 40``: why loops have no number."""
    places: dict[str, list[tuple[str, int]]] = {}
    for each in verdicts:
        places.setdefault(gap_reason(each), []).append((each.place.path, each.place.line))
    for file in report.files:
        for refusal in file.refusals:
            places.setdefault(str(refusal.reason), []).append((file.path, refusal.line))
    ordered = sorted(places.items(), key=lambda item: -len(item[1]))
    rows = [
        (str(len(lines)), truncate(visible(reason), LONGEST_REASON), _place_words(lines))
        for reason, lines in ordered[:MOST_REASONS]
    ]
    count_width = max([len(count) for count, _, _ in rows], default=0)
    reason_width = max([len(reason) for _, reason, _ in rows], default=0)
    for count, reason, where in rows:
        head = f"{count:>{count_width}}  "
        line = f"{head}{reason:<{reason_width}}   {where}"
        if len(line) <= style.width:
            yield line
        else:
            yield from wrap(f"{count}  {reason}: {where}", style.width, 0, len(head))
    if len(ordered) > MOST_REASONS:
        yield f"and {plural(len(ordered) - MOST_REASONS, 'other reason')} (--all shows them)"


def _place_words(places: Iterable[tuple[str, int]]) -> str:
    """``parse.c:14, 40, 71``: lines of one file after its name."""
    every = list(places)
    by_path: dict[str, list[str]] = {}
    for path, line in every[:MOST_PLACES]:
        by_path.setdefault(visible(path), []).append(str(line))
    more = f" and {len(every) - MOST_PLACES} more" if len(every) > MOST_PLACES else ""
    return "; ".join([f"{path}:{', '.join(lines)}" for path, lines in by_path.items()]) + more
