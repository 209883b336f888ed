"""The accuracy table: how near each model comes to the stable figures of a corpus, by level."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import log
from statistics import StatisticsError, correlation, median
from typing import Final

from msgspec import Struct

from rooflint.measure.corpus.rows import CorpusRow, PointRow
from rooflint.measure.protocol import MeasureVerdict

FACTORS: Final = (1.25, 1.5, 2.0)
"""Predictions off by no more than these are counted."""
WORST: Final = 10
FEWEST_RANKED: Final = 3
"""Two figures are always in one order or the other."""


class Accuracy(Struct, frozen=True, kw_only=True):
    """One model at one level. Ratios are predicted over measured.

    count   stable figures that the model speaks of
    within  the share of them that it meets within each of ``FACTORS``
    rank    correlation of ranks of predicted and measured cycles; None below three figures, or
            where all are equal
    """

    level: str
    model: str
    count: int
    median: float
    p10: float
    p90: float
    within: tuple[float, ...]
    rank: float | None


class Outlier(Struct, frozen=True, kw_only=True):
    """A stable figure that a model misses by much."""

    corpus: str
    name: str
    level: str
    model: str
    measured: float
    predicted: float
    suspect: str

    @property
    def ratio(self) -> float:
        """Predicted over measured."""
        return self.predicted / self.measured


class CorpusShare(Struct, frozen=True, kw_only=True):
    """Functions and nests of a corpus: ``measured`` have a figure, ``stable`` a stable one."""

    corpus: str
    kernels: int
    measured: int
    stable: int


class AccuracyTable(Struct, frozen=True, kw_only=True):
    """All of a corpus.

    points    how many have each verdict, by its name
    doubts    why figures are not stable, or not of the loop, by their names
    refusals  why there is no figure, by their codes
    worst     of each model, farthest first
    """

    shares: tuple[CorpusShare, ...]
    levels: tuple[Accuracy, ...]
    points: dict[str, int]
    doubts: dict[str, int]
    refusals: dict[str, int]
    worst: tuple[Outlier, ...]


def accuracy_table(rows: Sequence[CorpusRow]) -> AccuracyTable:
    """The table of these rows."""
    points = [point for row in rows for point in row.points]
    outliers = list(_outliers(rows))
    return AccuracyTable(
        shares=tuple([_share(name, rows) for name in dict.fromkeys(r.place.corpus for r in rows)]),
        levels=_levels(outliers),
        points=_counted(point.verdict.value for point in points),
        doubts=_counted(doubt for point in points for doubt in point.doubts),
        refusals=_counted(_refusals([*rows, *points])),
        worst=_worst(outliers),
    )


def is_measured(row: CorpusRow) -> bool:
    """Whether some figure of it is one of its loops, however steady."""
    loops = (MeasureVerdict.STABLE, MeasureVerdict.DISTURBED)
    return any(point.verdict in loops for point in row.points)


def _refusals(rows: Sequence[CorpusRow | PointRow]) -> Iterable[str]:
    return (row.refusal.value for row in rows if row.refusal is not None)


def _levels(outliers: Sequence[Outlier]) -> tuple[Accuracy, ...]:
    cells = sorted({(each.level, each.model) for each in outliers})
    return tuple([_accuracy(level, model, outliers) for level, model in cells])


def _worst(outliers: Sequence[Outlier]) -> tuple[Outlier, ...]:
    """The farthest of each model, in the order of the models."""
    worst: list[Outlier] = []
    for model in dict.fromkeys(each.model for each in outliers):
        of_model = [each for each in outliers if each.model == model]
        worst += sorted(of_model, key=_distance, reverse=True)[:WORST]
    return tuple(worst)


def _distance(outlier: Outlier) -> float:
    return abs(log(outlier.ratio))


def _counted(names: Iterable[str]) -> dict[str, int]:
    """The most frequent first."""
    return dict(sorted(Counter(names).items(), key=lambda pair: (-pair[1], pair[0])))


def _share(corpus: str, rows: Sequence[CorpusRow]) -> CorpusShare:
    own = [row for row in rows if row.place.corpus == corpus]
    return CorpusShare(
        corpus=corpus,
        kernels=len(own),
        measured=sum(map(is_measured, own)),
        stable=sum(any(map(_is_stable, row.points)) for row in own),
    )


def _is_stable(point: PointRow) -> bool:
    return point.verdict is MeasureVerdict.STABLE


def _outliers(rows: Sequence[CorpusRow]) -> Iterable[Outlier]:
    """Every stable figure beside every model that speaks of it."""
    for row in rows:
        for point in filter(_is_stable, row.points):
            for each in point.models:
                if point.cycles and each.cycles > 0:
                    yield Outlier(
                        corpus=row.place.corpus,
                        name=row.place.name,
                        level=point.level,
                        model=each.model,
                        measured=point.cycles,
                        predicted=each.cycles,
                        suspect=each.suspect,
                    )


def _accuracy(level: str, model: str, outliers: Sequence[Outlier]) -> Accuracy:
    own = [each for each in outliers if (each.level, each.model) == (level, model)]
    ratios = sorted(each.ratio for each in own)
    return Accuracy(
        level=level,
        model=model,
        count=len(ratios),
        median=median(ratios),
        p10=_quantile(ratios, 0.1),
        p90=_quantile(ratios, 0.9),
        within=tuple([_share_within(factor, ratios) for factor in FACTORS]),
        rank=rank_correlation([each.predicted for each in own], [each.measured for each in own]),
    )


def _share_within(factor: float, ratios: Sequence[float]) -> float:
    return sum(1 / factor <= ratio <= factor for ratio in ratios) / len(ratios)


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Between the two nearest values."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's: the correlation of ranks, equal values sharing the mean of theirs."""
    if len(first) < FEWEST_RANKED:
        return None
    try:
        return correlation(_ranks(first), _ranks(second))
    except StatisticsError:
        return None


def _ranks(values: Sequence[float]) -> list[float]:
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) - 1) / 2 for value in values]
