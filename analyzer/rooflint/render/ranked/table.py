"""The table of a ranked report: a loop a row, in columns of fixed width."""

import math
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from rooflint.escaping import visible
from rooflint.plugin_api.verdict import Verdict
from rooflint.records import NamedTuple
from rooflint.render.layout import Style
from rooflint.render.ranked.machines import Alternatives
from rooflint.verdict.choose import RankedLoops, total_share
from rooflint.verdict.totals import total_time
from rooflint.verdict.words import (
    do_column,
    do_hints_differ,
    instances_words,
    left_cut,
    limit_column,
    middle_cut,
    right_cut,
    share_column,
)

FULL: Final = 96
"""Columns from which all parts of a row have room."""
WITHOUT_BAR: Final = 94
_SHARE, _LOOP, _LIMIT, _TIME, _DO, _BEST = 6, 34, 13, 14, 20, 18
_GAP: Final = "  "
BARS: Final = "▁▂▃▄▅▆▇"


class _Columns(NamedTuple):
    """The columns of a width; ``loop`` takes what the others leave.

    best  of several machines: least time on another one
    do    left out where ``best`` needs its room
    """

    bar: bool
    loop: int
    function: bool
    best: bool
    do: bool


def table_lines(loops: RankedLoops, style: Style, others: Alternatives) -> Iterator[str]:
    """The heading and a row for each loop, with its instances and the loops that it stands for."""
    columns = _columns(style.width, best=bool(others))
    head = f"{'time':>{_SHARE}} {'loop':<{columns.loop}}{_GAP}{'limit':<{_LIMIT}}{_GAP}"
    head += f"{'now → possible':<{_TIME}}"
    head += f"{_GAP}{'best':<{_BEST}}" if columns.best else ""
    head += f"{_GAP}do" if columns.do else ""
    yield style.paint(f"{'  ' if columns.bar else ''}{head}".rstrip(), "dim")
    rows = list(zip(loops.shown, loops.others, strict=True))
    shares = [total_share(loop) + sum(map(total_share, further)) for loop, further in rows]
    for (loop, further), share in zip(rows, shares, strict=True):
        best = others.best(loop, _BEST) if columns.best else ""
        row = _Row(loop=loop, further=further, share=share, bar=_bar(share, max(shares)))
        yield _row(row, best, columns, style)


def _columns(width: int, *, best: bool) -> _Columns:
    others = _SHARE + 1 + len(_GAP) * 3 + _LIMIT + _TIME + _DO
    bar = width >= FULL
    do = not best or width >= FULL
    if best:
        others += _BEST + len(_GAP) if do else _BEST - _DO
    room = max(12, width - others - (2 if bar else 0))
    return _Columns(bar, room, function=width >= WITHOUT_BAR and room >= _LOOP, best=best, do=do)


class _Row(NamedTuple):
    """A loop, the ``further`` ones that its row stands for, and the share of all of them."""

    loop: tuple[Verdict, ...]
    further: tuple[tuple[Verdict, ...], ...]
    share: float
    bar: str

    @property
    def best_to_change(self) -> Verdict:
        """The loop whose change saves most, else the first."""
        return max([self.loop[0], *[each[0] for each in self.further]], key=_saving)


def _saving(verdict: Verdict) -> float:
    return verdict.saved_share if verdict.advice is not None else 0.0


def _row(row: _Row, best: str, columns: _Columns, style: Style) -> str:
    first = row.best_to_change
    text = f"{row.bar} " if columns.bar else ""
    share = share_column(row.loop[0], row.share)
    text += f"{share:>{_SHARE}} {_place(row, columns):<{columns.loop}}{_GAP}"
    limit = _limit(row.loop)
    text += style.paint(limit, "cyan") + " " * (_LIMIT - len(limit)) + _GAP
    time = total_time([*row.loop, *chain.from_iterable(row.further)])
    text += f"{right_cut(time, _TIME):<{_TIME}}"
    if columns.best:
        text += f"{_GAP}{right_cut(best, _BEST):<{_BEST}}"
    if columns.do:
        change = visible(do_column(first, _DO))
        gains = first.advice is not None
        text += _GAP + (style.paint(change, "green") if gains else change)
    return text.rstrip()


def _limit(loop: Sequence[Verdict]) -> str:
    """The limiter; of instances that differ, their number."""
    return instances_words(loop) if do_hints_differ(loop) else limit_column(loop[0], _LIMIT)


def _bar(share: float, most: float) -> str:
    if most <= 0:
        return BARS[0]
    place = math.ceil(len(BARS) * share / most) - 1
    return BARS[min(max(0, place), len(BARS) - 1)]


def _place(row: _Row, columns: _Columns) -> str:
    """``lulesh.cc:1010 CalcHourglassContr…``: file, line and function as far as there is room;
    ``+2`` for two further loops."""
    place = row.loop[0].place
    more = f" +{len(row.further)}" if row.further else ""
    where = visible(f"{place.path}:{place.line}{more}")
    name = visible(place.function)
    if not columns.function:
        return left_cut(where, columns.loop)
    room = columns.loop - len(where) - 1
    if room >= min(len(name), 6):
        return f"{where} {middle_cut(name, room)}"
    short = left_cut(where, columns.loop - min(len(name), 12) - 1)
    return f"{short} {middle_cut(name, columns.loop - len(short) - 1)}"
