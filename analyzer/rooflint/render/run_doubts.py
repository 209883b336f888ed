"""Doubts about the predicted time of a run: guesses that decide much, and too long a run."""

from rooflint.plugin_api.report import Report, SizeDoubt
from rooflint.plugin_api.verdict import TimeRelation
from rooflint.program.budget import MAX_SECONDS
from rooflint.render.phrases import definition, percent
from rooflint.verdict.totals import run_seconds


def size_doubt_words(doubt: SizeDoubt) -> str:
    """``Doubt: n guessed 250, decides 34 % of the time: -D n=NUMBER, or rooflint sizes``."""
    names, several = ", ".join(doubt.names), len(doubt.names) > 1
    whole = "an entry's time" if doubt.of_entry else "the time"
    decides = f"{'decide' if several else 'decides'} {percent(doubt.share)} of {whole}"
    first = definition(doubt.names[0])
    return f"Doubt: {names} guessed {doubt.typical}, {decides}: {first}, or rooflint sizes"


def budget_used(report: Report) -> float | None:
    """The predicted time on the first machine, in parts of the time that guesses may make the runs
    of all entries last; None where a run was measured, or nothing has a time."""
    entries = max([file.entries for file in report.files], default=0)
    first = report.verdicts[0].machine if report.verdicts else ""
    priced = [
        each
        for each in report.verdicts
        if each.machine == first and each.time.relation is not TimeRelation.UNKNOWN
    ]
    return run_seconds(priced) / (MAX_SECONDS * entries) if entries and priced else None


def excess_words(report: Report) -> str:
    """``the run takes 6.7 times the 10 minutes that …``; nothing within them."""
    used = budget_used(report)
    if used is None or used <= 1:
        return ""
    several = any(file.entries > 1 for file in report.files)
    subject = "runs of the entries take" if several else "the run takes"
    return (
        f"{subject} {used:.2g} times the 10 minutes that guesses may make"
        f" {'each' if several else 'it'} last: most of the time does not rest on guessed sizes"
    )
