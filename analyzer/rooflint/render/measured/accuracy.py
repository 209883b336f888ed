"""The accuracy table of a corpus as text, Markdown and JSON."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from rooflint.measure.corpus.accuracy import FACTORS, AccuracyTable, CorpusShare, Outlier
from rooflint.measure.protocol import Doubt
from rooflint.render.layout import Style, escape_markdown
from rooflint.render.measured.words import DOUBTS, cycles

LEVEL_HEADS = (
    "data in", "model", "figures", "median", "p10", "p90",
    *[f"within {factor:g}x" for factor in FACTORS], "rank",
)  # fmt: skip
SHARE_HEADS = ("corpus", "kernels", "measured", "share", "stable")
WORST_HEADS = ("kernel", "data in", "model", "measured", "predicted", "ratio", "suspect")
LEFT = frozenset(("data in", "model", "corpus", "kernel", "suspect", "verdict", "reason"))
"""Columns of words; the others are of figures."""
Row = tuple[str, ...]


def accuracy_text(table: AccuracyTable, style: Style) -> str:
    """Columns under titles; ends with a newline."""
    lines: list[str] = []
    for title, heads, rows in _tables(table):
        if rows:
            lines += ["", style.paint(title, "bold"), *_columns(heads, rows)]
    return "".join([f"{line}\n" for line in lines[1:] or ["nothing was measured"]])


def accuracy_markdown(table: AccuracyTable) -> str:
    """Tables under headings; ends with a newline."""
    parts = []
    for title, heads, rows in _tables(table):
        if rows:
            lines = [heads, tuple(["---" if head in LEFT else "--:" for head in heads])]
            lines += [tuple(map(escape_markdown, row)) for row in rows]
            parts.append(f"## {title}\n\n" + "".join([f"| {' | '.join(r)} |\n" for r in lines]))
    return "\n".join(parts) or "Nothing was measured.\n"


def accuracy_json(table: AccuracyTable) -> str:
    """The table's own fields; ends with a newline."""
    return msgspec.json.format(msgspec.json.encode(table), indent=2).decode() + "\n"


def _tables(table: AccuracyTable) -> Iterator[tuple[str, Row, list[Row]]]:
    yield "Kernels", SHARE_HEADS, [_share(each) for each in table.shares]
    yield "Predicted over measured, stable figures", LEVEL_HEADS, [
        (
            each.level, each.model, str(each.count), _ratio(each.median), _ratio(each.p10),
            _ratio(each.p90), *[f"{share:.0%}" for share in each.within],
            "–" if each.rank is None else f"{each.rank:.2f}",
        )
        for each in table.levels
    ]  # fmt: skip
    yield "Farthest off", WORST_HEADS, [_outlier(each) for each in table.worst]
    yield "Verdicts on figures", ("verdict", "figures"), _counts(table.points)
    doubts = {DOUBTS[Doubt[name]]: count for name, count in table.doubts.items()}
    yield "Doubts", ("reason", "figures"), _counts(doubts)
    yield "Refusals", ("reason", "count"), _counts(table.refusals)


def _share(each: CorpusShare) -> Row:
    share = f"{each.measured / each.kernels:.0%}"
    return each.corpus, str(each.kernels), str(each.measured), share, str(each.stable)


def _outlier(each: Outlier) -> Row:
    return (
        f"{each.corpus}/{each.name}", each.level, each.model, cycles(each.measured),
        cycles(each.predicted), _ratio(each.ratio), each.suspect,
    )  # fmt: skip


def _counts(counts: Mapping[str, int]) -> list[Row]:
    return [(name, str(count)) for name, count in counts.items()]


def _ratio(value: float) -> str:
    return f"{value:.2f}"


def _columns(heads: Row, rows: Sequence[Row]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    for row in (heads, *rows):
        cells = [
            cell.ljust(width) if head in LEFT else cell.rjust(width)
            for head, cell, width in zip(heads, row, widths, strict=True)
        ]
        yield "  ".join(cells).rstrip()
