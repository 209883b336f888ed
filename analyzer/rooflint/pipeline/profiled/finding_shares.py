"""Findings by what they save of the time; those of code without a share of it are silent."""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from rooflint.plugin_api.advice import Advice, Silence, silence_of, threads_last, value_order
from rooflint.plugin_api.report import (
    COUNTS,
    PROFILE,
    STATIC,
    FileReport,
    ShareOrigin,
    share_words,
)

LEAST_SHARE: Final[Mapping[ShareOrigin, float]] = {STATIC: 0.01, COUNTS: 0.005, PROFILE: 0.005}
"""Of the program's time: what a finding's loop takes at least. The source alone tells shares within
a factor of two at best, and a run tells more; a saving below is lost in any measurement."""


ShareOf: TypeAlias = Callable[[Advice], float | None]
"""The part of the program's time that the loop of a finding takes; None for code that the program
does not reach."""


def findings_by_share(
    file: FileReport, share_of: ShareOf, origin: ShareOrigin, least: float
) -> FileReport:
    """The findings of loops with at least so large a share, those of the most time saved first.

    A change saves as much of the loop's share as its gain, the one of verdicts, leaves out.
    """
    findings: list[Advice] = []
    silent: list[Silence] = []
    for advice in file.findings:
        share = None if advice.numbers is None else share_of(advice)
        if advice.numbers is None or advice.gain is None or share is None:
            findings.append(advice)
        elif share < least:
            silent.append(_cold(advice, share, origin))
        else:
            saved = share * (1 - 1 / max(1.0, advice.gain.middle))
            numbers = advice.numbers._replace(run_share=saved, run_origin=origin)
            findings.append(advice._replace(numbers=numbers))
    findings.sort(key=lambda each: (value_order(each), each.span[:2], each.code))
    shown = threads_last(findings, lambda each: each, lambda each: each.function)
    return file._replace(findings=tuple(shown), silent=(*file.silent, *silent))


def _cold(advice: Advice, share: float, origin: ShareOrigin) -> Silence:
    percent = 100 * LEAST_SHARE[origin]
    reason = f"{share_words(share, origin)} of the time, less than {percent:g} %"
    return silence_of(advice, "min-share", reason)._replace(machine=advice.machine)
