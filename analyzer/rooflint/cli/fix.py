"""``rooflint lint --fix`` and ``--diff``: safe fixes made, and confirmed by a second analysis."""

from collections.abc import Sequence
from pathlib import Path

from rooflint.cli.report.output import say
from rooflint.lint import lint_file
from rooflint.lint.fixing import apply_fixes, difference
from rooflint.pipeline import Options, Source, analyse
from rooflint.plugin_api.advice import Advice
from rooflint.plugin_api.report import FileReport, Report
from rooflint.registry import Registry


def with_fixes(
    report: Report, options: Options, registry: Registry, program: str, write: bool
) -> tuple[Report, str]:
    """The report with safe fixes made, which a second look has to confirm, and the differences."""
    differences: list[str] = []
    files: list[FileReport] = []
    for file in report.files:
        content = Path(file.path).read_bytes() if file.findings else b""
        text, made = apply_fixes(content, file.findings)
        if not made:
            files.append(file)
            continue
        again = analyse([Source(file.path, text)], options, registry, lint_file)
        after = again.files[0]
        if not is_confirmed(file, after, made):
            say(program, [f"{file.path}: fixes dropped: they left their findings in place"])
            files.append(file)
            continue
        differences.append(difference(file.path, content, text))
        if write:
            Path(file.path).write_bytes(text)
            say(program, [f"{file.path}: {len(made)} fixed"])
            file = after  # noqa: PLW2901 - what is left
        files.append(file)
    return report._replace(files=tuple(files)), "".join(differences)


def is_confirmed(before: FileReport, after: FileReport, made: Sequence[Advice]) -> bool:
    """Whether the fixed file still parses, and has as many findings less as were fixed."""
    if after.status == "failed" or len(after.diagnostics) > len(before.diagnostics):
        return False
    for code in {advice.code for advice in made}:
        was, now = (sum(a.code == code for a in file.findings) for file in (before, after))
        if was - now < sum(advice.code == code for advice in made):
            return False
    return True
