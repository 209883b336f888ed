"""``rooflint explain FILE:LINE``: what the rules say of a loop, and why others keep silent."""

import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from rooflint.cli.arguments import Parser, split_flags
from rooflint.cli.exit_codes import ExitCode
from rooflint.cli.options import add_entry, add_predicting, add_profiles, predicting
from rooflint.cli.report.output import say
from rooflint.config.lint_settings import LintOverrides
from rooflint.errors import UsageError
from rooflint.escaping import visible
from rooflint.lint import lint_file
from rooflint.lint.changed import nest_at
from rooflint.pipeline import Analysis, Options, Source, analyse
from rooflint.plugin_api.advice import Advice, Silence
from rooflint.plugin_api.report import FileReport
from rooflint.registry import Registry, load_registry, with_rules
from rooflint.render.findings.full import code_of
from rooflint.render.layout import wrap

WIDTH = 100
DESCRIPTION = """Lists the rules that matched the loop at a line, the gain of each change, and the
reason why a matching rule is silent.
"""
Located = TypeVar("Located", Advice, Silence)


def explain_place(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    mine, flags = split_flags(arguments)
    parser = Parser("rooflint explain", DESCRIPTION)
    parser.add_argument("paths", nargs=1, metavar="FILE:LINE")
    add_place_options(parser)
    given = parser.parse(mine)
    path, _, line = given.paths[0].rpartition(":")
    registry = with_rules(load_registry())
    options = everything(given, flags)
    analysis = Analysis(options, registry, lint_file)
    (file,) = analysis.files([Source(path)])
    say("rooflint", analysis.problems)
    if file.status == "failed":
        reason = "; ".join(each.message for each in file.diagnostics)
        raise UsageError(f"{path}: not analysed: {reason}")
    lines = list(place_report(file, int(line), len(registry.rules)))
    nest = nest_at(file, int(line))
    if given.compiler_remarks and nest is not None:
        lines += remark_report(path, nest, options, registry)
    sys.stdout.write("".join(f"{each}\n" for each in lines))
    return ExitCode.USAGE if analysis.problems else ExitCode.FINE


def add_place_options(parser: Parser) -> None:
    """The options for ``FILE:LINE``."""
    add_predicting(parser)
    add_profiles(parser)
    add_entry(parser)
    parser.add_argument("--compiler-remarks", action="store_true",
        help="also compile the file, with the compiler and flags of its build, and show what the"
        " compiler remarks on the loop beside the plan; nothing compiled is run")  # fmt: skip


def everything(given: Namespace, flags: Sequence[str]) -> Options:
    """The options of a run that asks all rules, and keeps what they are silent on."""
    wishes = LintOverrides(select=("ALL",), preview=True, show_skipped=True)
    return predicting(given, flags)._replace(lint=wishes, entry=given.entry)


def remark_report(
    path: str, nest: tuple[int, int], options: Options, registry: Registry
) -> Iterator[str]:
    """A compiler's remarks on the loops of a nest; UsageError where no compiler answers."""
    from rooflint.pipeline.compiled.confirmation import PLANNING_MODEL, FileConfirmation, confirm
    from rooflint.render.compiler_remarks import confirmation_lines

    options = options._replace(lint=None, models=(PLANNING_MODEL,))
    file = analyse([Source(path)], options, registry).files[0]
    for answer in confirm(file, options, registry):
        if not isinstance(answer, FileConfirmation):
            raise UsageError(f"--compiler-remarks: {answer.reason}")
        yield from confirmation_lines(answer, nest)


def place_report(file: FileReport, line: int, rules: int) -> Iterator[str]:
    """Findings and silences of the nest that has ``line``, a paragraph each."""
    nest = nest_at(file, line)
    if nest is None:
        near = [each.reason for each in file.refusals if each.line == line]
        why = f"loop not modelled: {near[0]}" if near else "no modelled loop here"
        yield f"{visible(file.path)}:{line}: {why}"
        return
    yield f"{visible(file.path)}:{line}: in the loop nest of lines {nest[0]} to {nest[1]}"
    findings, silences = within(file.findings, nest), within(file.silent, nest)
    for advice in findings:
        yield from _finding(advice)
    for silence in silences:
        yield from _silence(silence)
    if not findings and not silences:
        yield f"  none of {rules} rules matches here"


def _finding(advice: Advice) -> Iterator[str]:
    yield from paragraph(f"line {advice.span.line}: {advice.code} {advice.message}")
    doubts = f": {'; '.join(advice.doubts)}" if advice.doubts else ""
    yield from paragraph(f"confidence {advice.confidence}{doubts}", 4)
    yield from [f"    {visible(line)}" for line in code_of(advice)]


def _silence(silence: Silence) -> Iterator[str]:
    where = f" on {silence.machine}" if silence.machine else ""
    text = f"{silence.code} matched, silent{where}: {silence.guard}: {silence.reason}"
    yield from paragraph(f"line {silence.span.line}: {text}")
    yield from paragraph(silence.evidence, 4)


def within(found: Iterable[Located], nest: tuple[int, int]) -> list[Located]:
    """Those in the lines of a nest, in their order."""
    inside = [each for each in found if nest[0] <= each.span.line <= nest[1]]
    return sorted(inside, key=lambda each: (each.span.line, each.code))


def paragraph(text: str, indent: int = 2) -> list[str]:
    """Wrapped, further lines indented."""
    return wrap(text, WIDTH, indent, indent + 2)
