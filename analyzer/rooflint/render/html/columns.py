"""The verdicts as columns: numbers to sort and draw by, words as every other report has them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from rooflint.plugin_api.prediction import Json
from rooflint.plugin_api.terms import CoreUnit, Limiter, LimiterKind
from rooflint.plugin_api.verdict import BestAdvice, TimeRelation, Verdict
from rooflint.records import NamedTuple
from rooflint.render import phrases
from rooflint.render.html.rows import LoopRow
from rooflint.render.html.texts import TextTable, short_number
from rooflint.verdict.choose import ChosenHint, HintRule, all_hints, hint_rule
from rooflint.verdict.sentences import chosen_hint
from rooflint.verdict.totals import LoopTotals, total_time, totals_of, with_whole_share
from rooflint.verdict.words import (
    do_column,
    do_hints_differ,
    instances_words,
    limit_column,
    resource_words,
    share_column,
)

DO_LENGTH: Final = 64
"""Characters of the column ``do``: on a page it is wide."""
NOT_ANALYSED: Final = "not analysed"
NOT_PREDICTED: Final = "not predicted"
_HUES: Final[dict[LimiterKind, str]] = {
    LimiterKind.CHAIN: "chain",
    LimiterKind.ISSUE: "issue",
    LimiterKind.WINDOW: "issue",
    LimiterKind.MISSES: "misses",
    LimiterKind.PAGE_WALKS: "walks",
    LimiterKind.MISPREDICTIONS: "issue",
    LimiterKind.CALL: "none",
    LimiterKind.OVERHEAD: "none",
    LimiterKind.UNKNOWN: "none",
}
_UNIT_HUES: Final[dict[CoreUnit, str]] = {
    CoreUnit.MULTIPLY_ADD: "multiply",
    CoreUnit.DIVIDER: "divider",
    CoreUnit.LOAD: "access",
    CoreUnit.STORE: "access",
}
_LEVEL_HUES: Final[dict[str, str]] = {"L1": "l1", "L2": "l2", "L3": "l3", "MEM": "dram"}


NO_RULES: Final[Mapping[str, HintRule]] = MappingProxyType({})


class ShownVerdict(NamedTuple):
    """The verdict of a row: that of its hottest copy, with share and times of all of them."""

    first: Verdict
    copies: tuple[Verdict, ...]
    totals: LoopTotals
    rule: HintRule

    @property
    def share(self) -> float | None:
        """Of the run's time."""
        return self.totals.share

    @property
    def limiter_name(self) -> str:
        """The limiter in one or two words."""
        limiter = self.first.limiter
        return NOT_PREDICTED if limiter is None else resource_words(limiter)


def shown_verdict(
    group: tuple[Verdict, ...], rules: Mapping[str, HintRule] = NO_RULES
) -> ShownVerdict | None:
    """The verdict to show for the copies of a loop on one machine.

    rules  of the hints of all loops, by the identifier of the first copy; of others their own
    """
    if not group:
        return None
    first = with_whole_share(group)
    rule = rules.get(first.id) or hint_rule(first)
    return ShownVerdict(first=first, copies=group, totals=totals_of(group), rule=rule)


def hint_rules(verdicts: Iterable[Verdict]) -> dict[str, HintRule]:
    """The rules of the hints that editors show in the files of one machine, by first copy."""
    by_file: dict[str, list[Verdict]] = {}
    for each in verdicts:
        by_file.setdefault(each.place.path, []).append(each)
    hints = [hint for file in by_file.values() for hint in all_hints(file)]
    return {each.verdicts[0].id: each.rule for each in hints}


_Number = Callable[[ShownVerdict], float | None]
_Words = Callable[[ShownVerdict], str | None]


def hue(limiter: Limiter | None) -> str:
    """The name of a limiter's colour in the page's style."""
    if limiter is None:
        return "none"
    if limiter.kind is LimiterKind.LINK:
        return _LEVEL_HUES.get(limiter.level, "l3")
    if limiter.kind is LimiterKind.PORT:
        return "units" if limiter.unit is None else _UNIT_HUES.get(limiter.unit, "units")
    return _HUES[limiter.kind]


def _possible(totals: LoopTotals) -> float | None:
    return totals.now_s if totals.possible_s is None else totals.possible_s


def _rule(advice: BestAdvice | None) -> str | None:
    return advice.rule if advice is not None else None


def _limit_text(shown: ShownVerdict) -> str:
    if do_hints_differ(shown.copies):
        return instances_words(shown.copies)
    return NOT_PREDICTED if shown.first.limiter is None else limit_column(shown.first)


def _hint(shown: ShownVerdict) -> str:
    return chosen_hint(ChosenHint(shown.copies, shown.rule))


NUMBERS: Final[dict[str, _Number]] = {
    "share": lambda each: each.share,
    "now": lambda each: each.totals.now_s,
    "possible": lambda each: _possible(each.totals),
    "high": lambda each: each.totals.high_s,
    "cycles": lambda each: each.first.time.now_cy,
    "of_limit": lambda each: each.first.floor.of_limit if each.first.floor else None,
    "gain": lambda each: each.first.time.gain,
    "sensitive": lambda each: int(each.first.sensitive),
    "lower_bound": lambda each: int(each.first.time.relation is TimeRelation.AT_LEAST),
}
"""Seconds of the whole run; cycles per iteration; shares and parts of a limit from 0 to 1.

``now`` is the low end of a range, ``high`` the other one.
"""
WORDS: Final[dict[str, _Words]] = {
    "id": lambda each: each.first.id.removeprefix(f"{each.first.place.path}:"),
    "relation": lambda each: each.first.time.relation.value,
    "limiter": lambda each: each.limiter_name,
    "hue": lambda each: hue(each.first.limiter),
    "rule": lambda each: _rule(each.first.advice),
    "confidence": lambda each: each.first.confidence,
    "share_text": lambda each: None if each.share is None else share_column(each.first, each.share),
    "limit_text": _limit_text,
    "time_text": lambda each: total_time(each.copies),
    "do_text": lambda each: do_column(each.first, DO_LENGTH),
    "hint": _hint,
}


def loop_columns(rows: Sequence[LoopRow], texts: TextTable) -> dict[str, Json]:
    """The places of the loops; texts by their place in the table."""
    return {
        "file": texts.places(row.file.path for row in rows),
        "line": [row.line for row in rows],
        "function": texts.places(map(_function, rows)),
        "nest": texts.places(map(_nest, rows)),
        "first": [row.copies[0].nest.line if row.copies else row.line for row in rows],
        "last": [_last(row) for row in rows],
        "heads": [_heads(row) for row in rows],
    }


def verdict_columns(verdicts: Sequence[ShownVerdict | None], texts: TextTable) -> dict[str, Json]:
    """One list for each field, in the order of the rows; None where there is no verdict."""
    columns: dict[str, Json] = {}
    for name, number in NUMBERS.items():
        columns[name] = [None if v is None else short_number(number(v)) for v in verdicts]
    for name, words in WORDS.items():
        said = [None if v is None else words(v) for v in verdicts]
        columns[name] = [None if text is None else texts.place(text) for text in said]
    return columns


def _function(row: LoopRow) -> str:
    if not row.copies:
        return ""
    names = list(dict.fromkeys([copy.function.name for copy in row.copies]))
    more = len(row.copies) - 1
    return names[0] + (f" and {more} more instance{'s' if more > 1 else ''}" if more else "")


def _nest(row: LoopRow) -> str:
    return phrases.nest_words(row.copies[0].kernel.loops) if row.copies else NOT_ANALYSED


def _last(row: LoopRow) -> int:
    return max([row.line, *[copy.nest.end_line for copy in row.copies]])


def _heads(row: LoopRow) -> list[Json]:
    """Lines of the headers around the loop, the outermost first, and its own."""
    heads: Iterable[int] = [loop.line for loop in row.copies[0].kernel.loops] if row.copies else []
    return [line for line in dict.fromkeys([*heads, row.line]) if line]
