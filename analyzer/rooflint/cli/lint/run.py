"""A run of ``rooflint lint``: the findings of its files, and an exit code for hooks."""

import os
import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

from rooflint.cli.analyze import (
    analysis_code,
    complaints,
    headers_left,
    interruption_line,
    lost_files,
    paths_code,
    renderer_named,
)
from rooflint.cli.exit_codes import ExitCode, strongest
from rooflint.cli.lint.options import PROGRAM
from rooflint.cli.options import predicting, running
from rooflint.cli.progress import collect
from rooflint.cli.report.output import check_output, say, use_colour, width, write
from rooflint.config.lint_settings import (
    GAIN_FROM,
    SEVERITIES,
    LintOverrides,
    Note,
    Pattern,
)
from rooflint.current_folder import current_folder
from rooflint.lint import lint_file
from rooflint.lint.baseline import (
    BaselineEntry,
    baseline_text,
    read_baseline,
    render_baseline,
    without_baseline,
)
from rooflint.lint.pages import rule_page
from rooflint.pipeline import Analysis, Options, SetupResolver, SourceList, find_sources
from rooflint.pipeline.headers import included_headers
from rooflint.plugin_api.advice import Advice, value_order
from rooflint.plugin_api.hookspecs import Rule
from rooflint.plugin_api.report import FileReport, Report, RuleText
from rooflint.registry import load_registry, with_rules
from rooflint.render import FindingsRenderers
from rooflint.render.layout import Style

if TYPE_CHECKING:
    from rooflint.lint.changed import BranchChanges

MOST_IN_HOOK: Final = 20
WITHOUT_SILENCES: Final = frozenset(
    "full gcc sarif github gitlab junit rdjson markdown statistics".split()
)
"""The formats that list no matches without a finding."""


def run_lint(given: Namespace, flags: Sequence[str], stack: ExitStack) -> int:
    """The same for parsed arguments; ``stack`` closes what is open until the end."""
    check_output(given.output)
    style = Style(width(given.output), use_colour(given.colour, given.output))
    registry = with_rules(load_registry())
    renderers = tuple(FindingsRenderers(style).rooflint_renderers())
    registry = registry._replace(renderers=renderers)
    renderer = renderer_named(format_of(given), registry)
    if given.show_settings:
        from rooflint.cli.settings import shown_settings

        resolver = SetupResolver(options_of(given, flags, None), registry)
        write(shown_settings(given.paths, resolver), given.output)
        return ExitCode.FINE
    known = read_baseline(given.baseline) if given.baseline else {}
    found = find_sources(given.paths)
    say(PROGRAM, found.problems)
    changes = None
    if given.diff_base:
        from rooflint.lint.changed import branch_changes

        changes = stack.enter_context(branch_changes(given.diff_base, given.paths[0]))
    options = options_of(given, flags, found.database)
    analysis = Analysis(options, registry, lint_file)
    wanted = analysis.setups.wanted(found.sources)
    interruption = collect(analysis, wanted)
    headers = included_headers(analysis, wanted, others=not given.hook)
    interruption = interruption or collect(analysis, headers.asked)
    report = with_rule_texts(_material(analysis.report(), given), registry.rules)
    if interruption:
        count = len(wanted) + len(headers.asked)
        say(PROGRAM, [interruption_line(count, len(report.files))])
    say(PROGRAM, lost_files(report) if given.hook else complaints(analysis, report))
    say(PROGRAM, headers_left(headers, ", or set --header-filter"))  # none in a hook
    whole = run_code(interruption, found, analysis, report, given.strict_parse)
    if given.write_baseline:
        write_baseline(report, given.write_baseline)
        return whole
    report = _reported(report, given, known, changes)
    if given.fix or given.diff:
        from rooflint.cli.fix import with_fixes

        report, differences = with_fixes(report, options, registry, PROGRAM, write=given.fix)
        if given.diff:
            write(differences, given.output)
            return strongest(whole, ExitCode.FINDINGS if differences else ExitCode.FINE)
    write(
        renderer.render(most_valuable(report, MOST_IN_HOOK) if given.hook else report), given.output
    )
    say(PROGRAM, [summary_line(report, len(found.sources) - len(wanted), given.hook)])
    failing = any(fails(file, analysis) for file in report.files)
    return strongest(whole, ExitCode.FINDINGS if failing else ExitCode.FINE)


def _material(report: Report, given: Namespace) -> Report:
    """The report with findings that save enough of the time, unless all loops count."""
    if given.all_loops or given.structural or not any(file.findings for file in report.files):
        return report
    from rooflint.pipeline.weights.materiality import with_material_findings

    return report._replace(files=tuple(map(with_material_findings, report.files)))


def _reported(
    report: Report,
    given: Namespace,
    known: Mapping[str, BaselineEntry],
    changes: "BranchChanges | None",
) -> Report:
    """The report without findings of the baseline and of code that did not change, and with notes
    on what could not be seen said once."""
    if given.baseline:
        report, stale = without_baseline(report, known)
        say(PROGRAM, stale_lines(given, known, stale))
    if changes is not None:
        from rooflint.lint.changed import only_changed

        with_findings = [file.path for file in report.files if file.findings]
        report = only_changed(report, changes.lines(with_findings))
    if any(file.findings for file in report.files):
        from rooflint.cli.lint.run_notes import with_notes_once

        report = with_notes_once(report)
    return report


def _is_incomplete(report: Report) -> bool:
    """Whether the front end could not see all of the files."""
    return any(each.code == "RL001" for file in report.files for each in file.findings)


def run_code(
    interruption: ExitCode, found: SourceList, analysis: Analysis, report: Report, strict: bool
) -> ExitCode:
    """Whether everything was looked at; ``strict``: a file parsed in part is lost as well."""
    in_part = strict and _is_incomplete(report)
    return strongest(
        interruption,
        paths_code(found),
        analysis_code(analysis, report),
        ExitCode.LOST if in_part else ExitCode.FINE,
    )


def format_of(given: Namespace) -> str:
    """The format asked for: what editors read, unless a person looks on."""
    if given.statistics:
        return "statistics"
    on_terminal = given.output is None and sys.stdout.isatty() and not given.hook
    name: str = given.format or ("full" if on_terminal else "gcc")
    return name


def write_baseline(report: Report, path: str) -> None:
    """Writes all findings as a baseline."""
    known = read_baseline(path) if os.path.exists(path) else {}
    folder = os.path.dirname(path) or "."
    paths = {file.path: os.path.relpath(file.path, folder) for file in report.files}
    write(render_baseline(report, known, paths), path)
    count = sum(len(file.findings) for file in report.files)
    say(PROGRAM, [f"{path}: {count} finding{'s' * (count != 1)} written"])


def stale_lines(
    given: Namespace, known: Mapping[str, BaselineEntry], stale: Iterable[BaselineEntry]
) -> Iterator[str]:
    """A line for each entry of the baseline that nothing matches; or they are taken out."""
    gone = list(stale)
    if gone and given.prune_baseline:
        names = {each.fingerprint for each in gone}
        write(baseline_text(each for each in known.values() if each.fingerprint not in names),
              given.baseline)  # fmt: skip
        yield f"{given.baseline}: {len(gone)} of {len(known)} entries removed"
    elif gone:
        yield f"{given.baseline}: {len(gone)} of {len(known)} entries match nothing:" + (
            " --prune-baseline removes them"
        )


def most_valuable(report: Report, most: int) -> Report:
    """The findings of the most time saved, ``most`` of them."""
    orders = {
        (number, place): value_order(advice)
        for number, file in enumerate(report.files)
        for place, advice in enumerate(file.findings)
    }
    shown = set(sorted(orders, key=orders.__getitem__)[:most])
    files = [
        file._replace(
            findings=tuple([a for n, a in enumerate(file.findings) if (number, n) in shown])
        )
        for number, file in enumerate(report.files)
    ]
    return report._replace(files=tuple(files))


def options_of(given: Namespace, flags: Sequence[str], database: str | None) -> Options:
    """The options of the run."""
    select = [word for each in given.select or () for word in each]
    wishes = LintOverrides(
        select=tuple(select) if given.select is not None else None,
        ignore=tuple([word for each in given.ignore or () for word in each]),
        min_gain=given.min_gain,
        min_time_s=given.min_time,
        min_confidence=given.min_confidence,
        fail_on=given.fail_on,
        policy=given.policy,
        preview=given.preview,
        structural=given.structural,
        all_loops=given.all_loops,
        show_skipped=given.show_skipped,
        headers=patterns(given.header_filter),
        silences=format_of(given) not in WITHOUT_SILENCES,
    )
    options = predicting(given, flags, database)._replace(entry=given.entry)
    return running(options, given)._replace(isolated=given.isolated, lint=wishes)


def patterns(given: Sequence[Sequence[str]] | None) -> tuple[Pattern, ...] | None:
    """Globs of the command line, seen from the current folder; None where there are none."""
    if given is None:
        return None
    here = current_folder()
    globs = [glob for each in given for glob in each]
    return tuple(
        [Pattern(os.path.relpath(g, here) if os.path.isabs(g) else g, here) for g in globs]
    )


def with_rule_texts(report: Report, rules: Iterable[Rule | Note]) -> Report:
    """With the rules that found something in words, and notes on the run itself said once."""
    seen: set[str] = set()
    files = []
    for file in report.files:
        kept = []
        for advice in file.findings:
            once = advice.code in ("RL005", "RL008")
            if not once or advice.message not in seen:
                kept.append(advice)
            if once:
                seen.add(advice.message)
        files.append(file._replace(findings=tuple(kept)))
    codes = {advice.code for file in files for advice in file.findings}
    texts = tuple([_rule_text(rule, with_page=rule.code in codes) for rule in rules])
    return report._replace(files=tuple(files), rules=texts)


def _rule_text(rule: Rule | Note, *, with_page: bool) -> RuleText:
    page = rule_page(rule) if with_page else ""
    return RuleText(code=rule.code, slug=rule.slug, summary=rule.summary, page=page)


def summary_line(report: Report, excluded: int = 0, in_hook: bool = False) -> str:
    """``Found 3 findings in 12 files (1 excluded), 1 to act on``."""
    found = [advice for file in report.files for advice in file.findings]
    warnings = sum(advice.severity in ("warning", "error") for advice in found)
    files = len(report.files)
    line = f"Found {len(found)} finding{'s' * (len(found) != 1)}"
    line += f" in {files} file{'s' * (files != 1)}"
    line += f" ({excluded} excluded)" if excluded else ""
    if found:
        line += f", {warnings} to act on"
    if in_hook and len(found) > MOST_IN_HOOK:
        line += f"; {MOST_IN_HOOK} shown, '{PROGRAM} PATH...' shows all"
    elif in_hook and found:
        line += f"; 'rooflint explain {found[0].code}' says more"
    return line


def fails(file: FileReport, analysis: Analysis) -> bool:
    """Whether a finding is as severe, or worth as much, as the settings of its file say."""
    least = analysis.setups.lint_of(file.path).fail_on
    return any(_severe(advice, least) for advice in file.findings)


def _severe(advice: Advice, least: str) -> bool:
    if least == "never":
        return False
    if least.startswith(GAIN_FROM):
        worth = advice.gain.low if advice.gain is not None else 0.0
        return worth >= float(least.removeprefix(GAIN_FROM))
    return SEVERITIES.index(advice.severity) >= SEVERITIES.index(least)
