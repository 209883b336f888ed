"""The words above and below the loops: the run with its time, and what all numbers rest on."""

from collections.abc import Sequence

from rooflint.plugin_api.report import MachineReport, Report, SizeDoubt
from rooflint.plugin_api.verdict import TimeRelation, Verdict
from rooflint.render import phrases
from rooflint.render.html.columns import ShownVerdict
from rooflint.render.layout import plural
from rooflint.verdict.figures import seconds_text
from rooflint.verdict.totals import run_seconds


def run_heading(
    report: Report, machine: MachineReport, shown: Sequence[ShownVerdict], loops: int
) -> str:
    """``one run ≈ 9.4 s · 109 loops · skylake-sp-6148, 1 core, gcc -O3``.

    loops  of the table, with those that were not analysed
    """
    every = [verdict for each in shown for verdict in each.copies]
    parts = [_time(report, every), plural(loops, "loop"), _setting(machine, every)]
    return " · ".join([part for part in parts if part])


def _time(report: Report, verdicts: Sequence[Verdict]) -> str:
    priced = [each for each in verdicts if each.time.relation is not TimeRelation.UNKNOWN]
    if not priced:
        return ""
    return f"{phrases.run_words(report, priced)} {seconds_text(run_seconds(priced))}"


def _setting(machine: MachineReport, verdicts: Sequence[Verdict]) -> str:
    words = [f"{machine.name} (not this computer)" if machine.is_generic else machine.name]
    cores = sorted({each.cores for each in verdicts})
    if len(cores) > 1:
        words.append(f"{cores[0]} to {cores[-1]} cores")
    elif cores:
        words.append(plural(cores[0], "core"))
    compilers = dict.fromkeys([each.compiler for each in verdicts if each.compiler])
    return ", ".join([*words, *list(compilers)[:1]])


def basis_lines(report: Report) -> list[str]:
    """Machines with their notes and doubts, sizes of the run, and guesses that decide much."""
    lines = []
    for machine in report.machines:
        where = f" ({machine.file})" if machine.file else ""
        note = f": {machine.note}" if machine.note else ""
        lines.append(machine.name + where + note)
        doubt = phrases.doubt_words(machine.name, [each.figure for each in machine.doubtful])
        lines += [doubt] if doubt else []
    sizes = phrases.scenario_words(report)
    lines += [sizes] if sizes else []
    excess = phrases.excess_words(report)
    lines += [f"Doubt: {excess}"] if excess else []
    return [*lines, *[_size_doubt_words(doubt) for doubt in report.doubts]]


def _size_doubt_words(doubt: SizeDoubt) -> str:
    """``Doubt: n guessed 250, decides 34 % of the time: -D n=NUMBER, or rooflint sizes``."""
    names, several = ", ".join(doubt.names), len(doubt.names) > 1
    whole = "an entry's time" if doubt.of_entry else "the time"
    decides = f"{'decide' if several else 'decides'} {phrases.percent(doubt.share)} of {whole}"
    first = phrases.definition(doubt.names[0])
    return f"Doubt: {names} guessed {doubt.typical}, {decides}: {first}, or rooflint sizes"
