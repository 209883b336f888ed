"""An editor's status bar, as ``rooflint/status`` sends it."""

from typing import Final

from rooflint.escaping import visible
from rooflint.records import NamedTuple
from rooflint.verdict.choose import instances, is_worthwhile

from rooflint_lsp.documents.open_files import OpenFile, ShownReport
from rooflint_lsp.documents.verdicts import first_verdicts

GENERIC: Final = "generic machine, not yours"


def status_of(file: OpenFile | None) -> dict[str, object]:
    """The status of a file, or of the server as a whole."""
    if file is None:
        return _status(None, ShownCounts(), "")
    shown = file.shown
    counts = _counts(shown) if shown is not None else ShownCounts()
    return _status(file, counts, _machine(shown) if shown is not None else "")


class ShownCounts(NamedTuple):
    """Loops of a file, those worth a change, and whether their machine is a typical one."""

    loops: int = 0
    worth: int = 0
    generic: bool = False

    def words(self, machine: str) -> str:
        """``3 of 51 · generic machine, not yours``, or the name of the machine."""
        text = f"{self.worth} of {self.loops}" if self.loops else ""
        return " · ".join(filter(None, [text, GENERIC if self.generic else machine]))


def _counts(shown: ShownReport) -> ShownCounts:
    loops = instances(first_verdicts(shown.verdicts))
    return ShownCounts(
        loops=len(loops),
        worth=sum(is_worthwhile(each[0]) for each in loops),
        generic=any(each.is_generic for each in shown.seen.machines[:1]),
    )


def _state(file: OpenFile) -> str:
    if not file.settings.enable:
        return "off"
    if file.busy and not file.fresh:
        return "analysing"
    if file.failure:
        return "failed"
    return "ready" if file.shown is not None else "starting"


def _machine(shown: ShownReport) -> str:
    """``cell (8 cores)``: the first machine, and how many cores its first loop has."""
    if not shown.seen.machines:
        return ""
    name = shown.seen.machines[0].name
    for loop in shown.marks.loops:
        if loop.kernel.results:
            cores = loop.kernel.results[0].cores
            return f"{name} ({cores} core{'s' if cores != 1 else ''})"
    return name


def _status(file: OpenFile | None, counts: ShownCounts, machine: str) -> dict[str, object]:
    return {
        "uri": file.uri if file is not None else None,
        "state": _state(file) if file is not None else "ready",
        "machine": machine or None,
        "message": visible(file.failure) if file is not None else "",
        "hints": file.settings.hints if file is not None else "problems",
        "loops": counts.loops,
        "worth": counts.worth,
        "generic": counts.generic,
        "searched": file is not None and file.is_searched,
        "text": counts.words(machine.partition(" (")[0]),
    }
