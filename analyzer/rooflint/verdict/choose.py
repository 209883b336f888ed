"""Which loops a reader sees: the rule by which a loop gets a hint, and the order of a report."""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Final, TypeAlias

from rooflint.plugin_api.terms import Limiter
from rooflint.plugin_api.verdict import MeasurementState, TimeRelation, Verdict
from rooflint.records import NamedTuple

WORTH_GAIN: Final = 1.2
"""Ratio: a change that gains less is no reason for a hint."""
WORTH_SAVING: Final = 0.01
"""Share of the run that a change must save."""
HOT: Final = 0.05
"""Share of the run from which a loop has a hint whatever limits it."""
UNPRICED: Final = 0.02
"""Share of the run from which a missing number has a hint."""
NEAR_LIMIT: Final = 0.8
"""Part of the limit from which a loop counts as near it."""
MOST_HINTS: Final = 0.25
"""Share of a file's loops that have a hint by default: more of them hide each other. This and the
limits above are judgements: docs/editor.md asks at most a quarter of the loops to carry one."""
SHOWN_SHARE: Final = 0.95
"""Share of the run's time that a ranked report lists."""
COUNTING_COPY: Final = 0.1
"""Share of the hottest copy of a loop below which another copy says nothing about the loop: that
of an inlined function outside its callers is hardly ever run. Judgement."""
NEGLIGIBLE: Final = 0.002
"""Share of the run below which loops are counted and not listed."""


LoopRow: TypeAlias = tuple[tuple[Verdict, ...], ...]
"""Loops that a row of a report stands for, each with its instances."""
NestKey: TypeAlias = tuple[str, str, int]
"""A loop nest: path, function, and number in the function."""


class HintRule(Enum):
    """Why a loop has a hint, in the order of choice; ``REST``: only among all hints."""

    UNPRICED = 1
    MEASURED = 2
    GAIN = 3
    NEAR_LIMIT = 4
    HOT = 5
    REST = 6


def share_of(verdict: Verdict) -> float:
    """The part of the run's time that a loop and what it calls take; 0 where unknown."""
    weight = verdict.weight
    return max(weight.share or 0.0, weight.inclusive_share or 0.0)


def is_worthwhile(verdict: Verdict) -> bool:
    """Whether the best advice is worth a hint; low confidence needs its break-even."""
    advice = verdict.advice
    if advice is None or verdict.time.gain < WORTH_GAIN or verdict.saved_share < WORTH_SAVING:
        return False
    if verdict.confidence != "low":
        return True
    return verdict.sensitivity is not None and bool(verdict.sensitivity.break_evens)


def hint_rule(verdict: Verdict, hottest: bool = False) -> HintRule:
    """The first rule that applies; ``hottest``: no loop of the file takes more time."""
    share = share_of(verdict)
    if verdict.time.relation in (TimeRelation.UNKNOWN, TimeRelation.AT_LEAST) and (
        share >= UNPRICED or hottest
    ):
        return HintRule.UNPRICED
    if _measured(verdict, share):
        return HintRule.MEASURED
    if is_worthwhile(verdict):
        return HintRule.GAIN
    if share < HOT:
        return HintRule.REST
    near = verdict.floor is not None and (verdict.floor.of_limit or 0.0) >= NEAR_LIMIT
    return HintRule.NEAR_LIMIT if near else HintRule.HOT


def _measured(verdict: Verdict, share: float) -> bool:
    measured = verdict.measured
    if measured is None or measured.state is MeasurementState.DISTURBED:
        return False
    return measured.state is MeasurementState.REFUTES or share >= HOT


class ChosenHint(NamedTuple):
    """A loop with a hint: the verdicts on its instances, the hottest first, and the rule."""

    verdicts: tuple[Verdict, ...]
    rule: HintRule


def default_hints(verdicts: Sequence[Verdict]) -> list[ChosenHint]:
    """The hints of one file on one machine, in the order of lines; at most ``MOST_HINTS`` of its
    loops, and always one where any qualifies.
    """
    chosen = all_hints(verdicts)
    qualified = [each for each in chosen if each.rule is not HintRule.REST]
    most = max(1, int(MOST_HINTS * len(chosen)))
    kept = sorted(qualified, key=_order)[:most]
    return [each for each in qualified if each in kept]


def _order(hint: ChosenHint) -> tuple[float, int, float]:
    """By time; of loops whose shares print alike what can be done comes before what cannot."""
    share = share_of(hint.verdicts[0])
    return -round(share, 2), hint.rule.value, -share


def all_hints(verdicts: Sequence[Verdict]) -> list[ChosenHint]:
    """Every loop of one file on one machine with the rule of its hint, in the order of lines."""
    loops = instances(verdicts)
    hottest = max([share_of(each[0]) for each in loops], default=0.0)
    return [
        ChosenHint(each, hint_rule(each[0], hottest=share_of(each[0]) >= hottest)) for each in loops
    ]


def instances(verdicts: Iterable[Verdict]) -> list[tuple[Verdict, ...]]:
    """The verdicts by loop of the source and machine: instances of a template are one loop."""
    loops: dict[tuple[str, int, int, str], list[Verdict]] = {}
    for each in verdicts:
        place = each.place
        loops.setdefault((place.path, place.line, place.column, each.machine), []).append(each)
    return [tuple(sorted(group, key=lambda each: -share_of(each))) for group in loops.values()]


class SortKey(Enum):
    """The order of a ranked report."""

    TIME = "time"
    GAIN = "gain"
    SAVES = "saves"
    FILE = "file"


class RankedLoops(NamedTuple):
    """The loops that a report lists, and how many it does not.

    shown          in the order asked for
    to_share       more loops until ``SHOWN_SHARE`` of the time
    beyond         loops in what is left of the time then
    negligible     loops below ``NEGLIGIBLE``
    unreached      loops that the program does not reach, where that is known of others
    unpredictable  loops without a number
    others         for each one shown the loops that its row stands for too
    """

    shown: tuple[tuple[Verdict, ...], ...]
    to_share: int = 0
    beyond: int = 0
    negligible: int = 0
    unreached: int = 0
    unpredictable: tuple[Verdict, ...] = ()
    others: tuple[tuple[tuple[Verdict, ...], ...], ...] = ()


def ranked_loops(
    verdicts: Iterable[Verdict],
    most: int | None,
    key: SortKey = SortKey.TIME,
    *,
    all_of: bool = False,
    nests: Mapping[str, NestKey] | None = None,
) -> RankedLoops:
    """The loops of most time, at most ``most``.

    ``all_of``: whatever part of the time they cover; else those that make up ``SHOWN_SHARE``.
    ``nests``: the loop nests of verdicts by their ids, for one row a nest.
    """
    loops = instances(verdicts)
    priced = list(filter(_is_priced, loops))
    by_time = sorted(priced, key=lambda each: -total_share(each))
    rows = [(each,) for each in by_time] if nests is None else rows_of_nests(by_time, nests)
    count = len(rows) if all_of else _covering(rows)
    count = count if most is None else min(count, most)
    shown = _sorted(rows[:count], key)
    return _with_rest(rows[count:], max(0, _covering(rows) - count))._replace(
        shown=tuple([row[0] for row in shown]),
        unpredictable=tuple([each[0] for each in loops if not _is_priced(each)]),
        others=tuple([row[1:] for row in shown]),
    )


def _with_rest(left: Sequence[LoopRow], wanted: int) -> RankedLoops:
    """The numbers of loops in the rows that are not shown; ``wanted``: rows that cover the time."""
    rest = [loop for row in left for loop in row]
    unreached = sum(_is_unreached(each) for each in rest)
    negligible = sum(total_share(each) < NEGLIGIBLE for each in rest) - unreached
    to_share = sum(map(len, left[:wanted]))
    return RankedLoops(
        shown=(),
        to_share=to_share,
        beyond=max(0, len(rest) - to_share - negligible - unreached),
        negligible=negligible,
        unreached=unreached,
    )


def rows_of_nests(
    by_time: Iterable[tuple[Verdict, ...]], nests: Mapping[str, NestKey]
) -> list[LoopRow]:
    """Loops of one row, the hottest first: those of a nest, and nests of a function that are alike,
    such as a sweep there and one back: the hottest loops of both have one limiter and no advice.
    """
    of_nest: dict[NestKey | str, LoopRow] = {}
    for loop in by_time:
        nest = nests.get(loop[0].id, loop[0].id)
        of_nest[nest] = (*of_nest.get(nest, ()), loop)
    alike: dict[object, LoopRow] = {}
    for nest, row in of_nest.items():
        own = nest if isinstance(nest, str) or any(map(_is_advised, row)) else _sweep(row[0][0])
        alike[own] = (*alike.get(own, ()), *row)
    return sorted(alike.values(), key=lambda row: -_row_share(row))


def _is_priced(loop: tuple[Verdict, ...]) -> bool:
    return loop[0].time.relation is not TimeRelation.UNKNOWN


def _is_advised(loop: tuple[Verdict, ...]) -> bool:
    return loop[0].advice is not None


def _sweep(hottest: Verdict) -> tuple[str, str, Limiter | None, TimeRelation]:
    """The same for nests of a function that are alike."""
    return hottest.place.path, hottest.place.function, hottest.limiter, hottest.time.relation


def _row_share(row: LoopRow) -> float:
    return sum(map(total_share, row))


def _covering(rows: Iterable[LoopRow]) -> int:
    """How many of the first rows make up ``SHOWN_SHARE`` of the time."""
    covered, needed = 0.0, 0
    for each in rows:
        share = _row_share(each)
        if covered >= SHOWN_SHARE or share < NEGLIGIBLE:
            break
        covered += share
        needed += 1
    return needed


def _is_unreached(loop: tuple[Verdict, ...]) -> bool:
    return all(each.weight.share is None for each in loop)


def counting_copies(loop: Sequence[Verdict]) -> Sequence[Verdict]:
    """The instances of a loop, the hottest first, that say something about it."""
    least = COUNTING_COPY * share_of(loop[0])
    return [each for each in loop if share_of(each) >= least]


def total_share(loop: Sequence[Verdict]) -> float:
    """The share of all instances together."""
    return sum([each.weight.share or 0.0 for each in loop])


def _sorted(rows: Iterable[LoopRow], key: SortKey) -> list[LoopRow]:
    if key is SortKey.FILE:
        return sorted(rows, key=lambda row: (row[0][0].place.path, row[0][0].place.line))
    if key is SortKey.GAIN:
        return sorted(rows, key=lambda row: -row[0][0].time.gain)
    if key is SortKey.SAVES:
        return sorted(rows, key=lambda row: -row[0][0].saved_share)
    return list(rows)
