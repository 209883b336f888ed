"""The other machines of a run: for each loop the one on which it takes the least time."""

from collections.abc import Sequence

from rooflint.escaping import visible
from rooflint.plugin_api.verdict import Verdict
from rooflint.render.layout import plural
from rooflint.verdict.words import middle_cut, time_column


class Alternatives:
    """Verdicts on machines beside the first one."""

    def __init__(self, verdicts: Sequence[Verdict], first: str) -> None:
        self._by_loop: dict[str, list[Verdict]] = {}
        self._machines: dict[str, None] = {}
        for each in verdicts:
            if each.machine != first:
                self._by_loop.setdefault(each.id, []).append(each)
                self._machines[each.machine] = None

    def __bool__(self) -> bool:
        return bool(self._machines)

    def words(self) -> list[str]:
        """``beside 2 other machines``."""
        if not self._machines:
            return []
        if len(self._machines) == 1:
            return [f"beside {visible(next(iter(self._machines)))}"]
        return [f"beside {plural(len(self._machines), 'other machine')}"]

    def best(self, verdict: Verdict, length: int) -> str:
        """``0.40 s cell``: the least time of the loop on another machine, and its name."""
        others = [each for each in self._by_loop.get(verdict.id, ()) if each.run_s is not None]
        if not others:
            return "–"
        fastest = min(others, key=lambda each: each.run_s or 0.0)
        time = time_column(fastest._replace(advice=None))
        return f"{time} {middle_cut(visible(fastest.machine), length - len(time) - 1)}"
