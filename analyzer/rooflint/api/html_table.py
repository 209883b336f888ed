"""The ranking as an HTML table for notebooks, in the columns and words of the text report."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Final

from rooflint.escaping import visible
from rooflint.plugin_api.verdict import Verdict
from rooflint.verdict.totals import time_column
from rooflint.verdict.words import do_column, limit_column, share_column

MOST_ROWS: Final = 20
"""As many as the text report lists."""
LONGEST_CHANGE: Final = 40
"""Characters."""
HEADINGS: Final = ("time", "loop", "function", "limit", "now → possible", "do")


def html_table(verdicts: Sequence[Verdict], caption: str) -> str:
    """One table; a notebook's own style applies."""
    several = len({each.machine for each in verdicts}) > 1
    columns = (*(("machine",) if several else ()), *HEADINGS)
    rows = [_cells(each, several=several) for each in verdicts[:MOST_ROWS]]
    left = len(verdicts) - len(rows)
    more = f"<p>{left} more loop{'s' * (left != 1)}</p>" if left else ""
    body = "".join([_row(cells, "td") for cells in rows])
    return (
        f"<table><caption>{_text(caption)}</caption><thead>{_row(columns, 'th')}</thead>"
        f"<tbody>{body}</tbody></table>{more}"
    )


def _cells(verdict: Verdict, *, several: bool) -> Iterator[str]:
    place, share = verdict.place, verdict.weight.share
    if several:
        yield verdict.machine
    yield "–" if share is None else share_column(verdict, share)
    yield f"{place.path}:{place.line}"
    yield place.function
    yield limit_column(verdict)
    yield time_column(verdict)
    yield do_column(verdict, LONGEST_CHANGE)


def _row(cells: Iterable[str], tag: str) -> str:
    return f"<tr>{''.join([f'<{tag}>{_text(cell)}</{tag}>' for cell in cells])}</tr>"


def _text(words: str) -> str:
    return escape(visible(words))
