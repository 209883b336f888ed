"""Findings that matter: those that save enough of the time of a run and of their function."""

from collections.abc import Mapping
from typing import Final

from rooflint.plugin_api.advice import Advice, Numbers, Silence, silence_of
from rooflint.plugin_api.report import (
    COUNTS,
    PROFILE,
    STATIC,
    FileReport,
    ShareOrigin,
    share_words,
)

LEAST_SAVED: Final[Mapping[ShareOrigin, float]] = {STATIC: 0.05, COUNTS: 0.02, PROFILE: 0.02}
"""Of the program's and of the function's time: what a change saves at least (specification of
advice). Where a run tells the shares, the smallest difference that repeated timing shows (judged).
"""
LEAST_OF_SEVERAL: Final = 0.01
"""The same of each of several loops of a function that the same change together makes faster."""


def with_material_findings(file: FileReport) -> FileReport:
    """A file without the findings that save too little; those without a price all stay."""
    together = _saved_together(file)
    kept: list[Advice] = []
    silent: list[Silence] = []
    for advice in file.findings:
        saved = together.get(_change_of(advice))
        if advice.numbers is None or saved is None or _matters(advice.numbers, saved):
            kept.append(advice)
        else:
            silent.append(_too_little(advice, advice.numbers))
    if not silent:
        return file
    return file._replace(findings=tuple(kept), silent=(*file.silent, *silent))


_ChangeOfFunction = tuple[str, str]
"""The function of a finding, and the code of its rule."""


def _change_of(advice: Advice) -> _ChangeOfFunction:
    return advice.function, advice.code


def _saved_together(file: FileReport) -> Mapping[_ChangeOfFunction, float]:
    """The part of the time that the same change saves in all loops of a function."""
    saved: dict[_ChangeOfFunction, float] = {}
    for advice in file.findings:
        if advice.numbers is not None and advice.numbers.run_share is not None:
            change = _change_of(advice)
            saved[change] = saved.get(change, 0.0) + _saved(advice.numbers)
    return saved


def _saved(numbers: Numbers) -> float:
    """The smaller one of the parts of the run's and of the function's time."""
    return min(numbers.run_share or 0.0, numbers.share)


def _matters(numbers: Numbers, together: float) -> bool:
    least = LEAST_SAVED[numbers.run_origin]
    return together >= least and _saved(numbers) >= min(least, LEAST_OF_SEVERAL)


def _too_little(advice: Advice, numbers: Numbers) -> Silence:
    percent = 100 * LEAST_SAVED[numbers.run_origin]
    whose = "time" if _saved(numbers) == numbers.run_share else "function's time"
    saved = share_words(_saved(numbers), numbers.run_origin)
    reason = f"saves {saved} of the {whose}, less than {percent:g} %"
    return silence_of(advice, "min-saved", reason)._replace(machine=advice.machine)
