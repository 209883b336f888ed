"""Findings with the shares that the program's weights give their loops."""

from typing import TYPE_CHECKING

from rooflint.pipeline.profiled.finding_shares import LEAST_SHARE, findings_by_share
from rooflint.plugin_api.advice import Advice
from rooflint.plugin_api.report import FileReport

if TYPE_CHECKING:
    from rooflint.pipeline.weights.placed_times import PlacedTimes


def with_weighed_findings(
    file: FileReport, times: "PlacedTimes", *, timed: bool = False
) -> FileReport:
    """The findings with shares of the run, those of the most time saved first.

    ``timed``: a profile tells the shares of the time later, so that nothing is cold yet.
    """

    def share_of(advice: Advice) -> float | None:
        if not advice.loop:
            return _whole_share(file, times)
        share = times.share_at(file.path, advice.span)
        if share is None:
            return None
        copied = advice.about.span if advice.about is not None else None
        of_copy = times.share_at(file.path, copied) if copied is not None else None
        return share.loop if of_copy is None else max(share.loop, of_copy.loop)

    least = 0.0 if timed else LEAST_SHARE[times.origin]
    return findings_by_share(file, share_of, times.origin, least)


def _whole_share(file: FileReport, times: "PlacedTimes") -> float | None:
    """The share of all functions of a file; None where the program reaches none of them."""
    shares = [share for _, share in times.functions_of(file.path)]
    return min(1.0, sum(shares)) if shares else None
