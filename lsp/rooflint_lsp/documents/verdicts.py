"""The verdicts on an open file: made of its report and the findings that are known by now.

A finding that comes later makes new verdicts; the report, which knows the times, stays.
"""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from rooflint.plugin_api.advice import Advice
from rooflint.plugin_api.machine_report import MachineReport
from rooflint.plugin_api.report import FileReport
from rooflint.plugin_api.verdict import Verdict
from rooflint.verdict.steps import verdicts_of
from rooflint.verdict.totals import with_whole_share

LoopVerdicts: TypeAlias = Mapping[str, tuple[Verdict, ...]]
"""By a kernel's identifier: a verdict for each machine, in the order they were asked for."""


def loop_verdicts(
    report: FileReport, machines: Iterable[MachineReport], findings: Iterable[Advice]
) -> LoopVerdicts:
    """The verdicts on all kernels of a file; ``findings`` with the lines of the report."""
    grouped: dict[str, list[Verdict]] = {}
    for each in verdicts_of((report._replace(findings=tuple(findings)),), machines):
        grouped.setdefault(each.id, []).append(each)
    return {name: tuple(group) for name, group in grouped.items()}


def of_whole_loop(verdict: Verdict, verdicts: LoopVerdicts) -> Verdict:
    """A verdict of the first machine with the share of all copies of its loop."""
    place = verdict.place
    copies = [
        each
        for each in first_verdicts(verdicts)
        if (each.place.line, each.place.column) == (place.line, place.column)
    ]
    return with_whole_share([verdict, *[each for each in copies if each.id != verdict.id]])


def first_verdicts(verdicts: LoopVerdicts) -> tuple[Verdict, ...]:
    """Those of the first machine, which hints, lenses and lists show."""
    return tuple([group[0] for group in verdicts.values()])
