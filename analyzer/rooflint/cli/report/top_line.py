"""The line on stderr that ``--top`` writes."""

from rooflint.pipeline.ranking import count_kernels
from rooflint.plugin_api.report import COUNTS, PROFILE, Report
from rooflint.render.entries import entries_of, has_guessed_sizes


def top_line(count: int, shown: Report, report: Report) -> str:
    """The line that says what ``--top`` left out, and how far its order can be trusted."""
    kept, total = count_kernels(shown), count_kernels(report)
    entries = entries_of(shown)
    origins = {each.kernel.weight.share_origin for each in entries if each.kernel.weight}
    if PROFILE in origins:
        by = "measured time"
    elif COUNTS in origins:
        by = "predicted time, with the counts of a run"
    else:
        guessed = sum(has_guessed_sizes(entry.kernel) for entry in entries)
        trust = f"; the sizes of {guessed} are guessed, -D sets them" if guessed else ""
        by = f"predicted time{trust}"
    return f"--top {count}: {kept} of {total} kernels shown, by {by}"
