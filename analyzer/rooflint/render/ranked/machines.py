"""The other machines of a run: for each loop the one on which it takes the least time."""

from collections.abc import Sequence

from rooflint.escaping import visible
from rooflint.plugin_api.verdict import Verdict
from rooflint.render.layout import plural
from rooflint.verdict.choose import instances
from rooflint.verdict.totals import total_time, totals_of
from rooflint.verdict.words import middle_cut

_LoopKey = tuple[str, int, int]


class Alternatives:
    """Verdicts on machines beside the first one."""

    def __init__(self, verdicts: Sequence[Verdict], first: str) -> None:
        self._by_loop: dict[_LoopKey, list[tuple[Verdict, ...]]] = {}
        self._machines: dict[str, None] = {}
        for loop in instances([each for each in verdicts if each.machine != first]):
            self._by_loop.setdefault(_key(loop[0]), []).append(loop)
            self._machines[loop[0].machine] = None

    def __bool__(self) -> bool:
        return bool(self._machines)

    def words(self) -> list[str]:
        """``beside 2 other machines``."""
        if not self._machines:
            return []
        if len(self._machines) == 1:
            return [f"beside {visible(next(iter(self._machines)))}"]
        return [f"beside {plural(len(self._machines), 'other machine')}"]

    def best(self, loop: Sequence[Verdict], length: int) -> str:
        """``0.40 s cell``: the least time of the loop on another machine, and its name."""
        others = self._by_loop.get(_key(loop[0]), ())
        known = [each for each in others if totals_of(each).now_s is not None]
        if not known:
            return "–"
        fastest = min(known, key=lambda each: totals_of(each).now_s or 0.0)
        time = total_time([each._replace(advice=None) for each in fastest])
        return f"{time} {middle_cut(visible(fastest[0].machine), length - len(time) - 1)}"


def _key(verdict: Verdict) -> _LoopKey:
    place = verdict.place
    return place.path, place.line, place.column
