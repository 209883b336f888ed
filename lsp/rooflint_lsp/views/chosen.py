"""Loops with the hints that the verdicts give them, at their present places."""

from collections.abc import Iterable
from typing import Final

from rooflint.plugin_api.verdict import Verdict
from rooflint.records import NamedTuple
from rooflint.verdict.choose import ChosenHint, all_hints, default_hints, share_of
from rooflint.verdict.sentences import chosen_hint
from rooflint.verdict.totals import with_whole_share

from rooflint_lsp.documents.open_files import ShownReport
from rooflint_lsp.documents.settings import Hints
from rooflint_lsp.documents.tracking import TrackedLoop
from rooflint_lsp.documents.verdicts import first_verdicts

MOST_HOT: Final = 50
"""Loops of the list of hot loops: nobody reads on."""


class HintedLoop(NamedTuple):
    """A loop of the text, and the hint that is chosen for it."""

    loop: TrackedLoop
    chosen: ChosenHint

    @property
    def verdict(self) -> Verdict:
        """Of its instance of most time, on the first machine, with the share of all."""
        return with_whole_share(self.chosen.verdicts)

    @property
    def text(self) -> str:
        """At most 40 characters."""
        return chosen_hint(self.chosen)


def hinted_loops(shown: ShownReport, hints: Hints) -> list[HintedLoop]:
    """The loops that have a hint, one a line, in the order of the report."""
    if hints == "off":
        return []
    chosen = default_hints(first_verdicts(shown.verdicts))
    if hints == "all":
        # those that the rules choose, and every innermost loop
        names = {each.verdicts[0].id for each in chosen}
        chosen = [
            each
            for each in all_hints(first_verdicts(shown.verdicts))
            if each.verdicts[0].id in names or _is_innermost(shown, each)
        ]
    return _one_a_line(_located(shown, chosen))


def hot_loops(shown: ShownReport) -> list[HintedLoop]:
    """The loops by their share of the time, those of most first."""
    located = _located(shown, all_hints(first_verdicts(shown.verdicts)))
    located.sort(key=lambda each: -share_of(each.verdict))
    return located[:MOST_HOT]


def hint_of(shown: ShownReport, loop: TrackedLoop) -> HintedLoop | None:
    """The hint that a loop has where all loops have one; None without a verdict."""
    every = all_hints(first_verdicts(shown.verdicts))
    for each in every:
        if any(verdict.id == loop.kernel.id for verdict in each.verdicts):
            return HintedLoop(loop, each)
    return None


def _located(shown: ShownReport, chosen: Iterable[ChosenHint]) -> list[HintedLoop]:
    loops: dict[str, TrackedLoop] = {loop.kernel.id: loop for loop in shown.marks.loops}
    names = ((each, each.verdicts[0].id) for each in chosen)
    return [HintedLoop(loops[name], each) for each, name in names if name in loops]


def _is_innermost(shown: ShownReport, chosen: ChosenHint) -> bool:
    names = {each.id for each in chosen.verdicts}
    return any(loop.kernel.innermost for loop in shown.marks.loops if loop.kernel.id in names)


def _one_a_line(loops: Iterable[HintedLoop]) -> list[HintedLoop]:
    """Of several loops on a line the one of most time."""
    by_line: dict[int, HintedLoop] = {}
    for each in loops:
        line = each.loop.stop.line
        if line not in by_line or share_of(each.verdict) > share_of(by_line[line].verdict):
            by_line[line] = each
    return list(by_line.values())
