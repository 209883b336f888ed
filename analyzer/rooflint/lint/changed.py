"""Only what changed: findings whose nest has a line that differs from a commit."""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence

from rooflint.advice import Advice
from rooflint.errors import UsageError
from rooflint.report import FileReport, Report

Ranges = Sequence[tuple[int, int]]
"""First and last lines, both inclusive."""
_HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")
SECONDS = 60


def changed_lines(reference: str, path: str) -> dict[str, list[tuple[int, int]]]:
    """Lines of the work tree that differ from a commit, by real path; new files have all theirs.

    ``path`` tells the repository. Raises UsageError where git, the repository or the commit is not.
    """
    folder = path if os.path.isdir(path) else os.path.dirname(os.path.abspath(path))
    top = _git(folder, "rev-parse", "--show-toplevel").strip()
    if reference.startswith("-"):
        raise UsageError(f"--diff-base: '{reference}', expected a commit such as origin/main")
    _git(folder, "rev-parse", "--verify", "--quiet", f"{reference}^{{commit}}")
    text = _git(top, "diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-renames",
                "--src-prefix=a/", "--dst-prefix=b/", reference, "--")  # fmt: skip
    found = _parsed(text, top)
    for name in _git(top, "ls-files", "-z", "--others", "--exclude-standard").split("\0"):
        if name:
            found[os.path.realpath(os.path.join(top, name))] = [(1, 1 << 30)]
    return found


def _parsed(text: str, top: str) -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {}
    ranges: list[tuple[int, int]] = []
    for line in text.splitlines():
        if line.startswith("+++ "):
            name = line[4:].split("\t")[0].strip('"').removeprefix("b/")
            ranges = found.setdefault(os.path.realpath(os.path.join(top, name)), [])
        elif (hunk := _HUNK.match(line)) is not None:
            first, count = int(hunk[1]), int(hunk[2] or 1)
            # lines taken out leave a seam between two that stay
            ranges.append((first, first + max(count, 2 if count == 0 else 1) - 1))
    return found


def _git(folder: str, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-c", "core.quotePath=false", *arguments], cwd=folder, check=False,
            capture_output=True, text=True, errors="surrogateescape", timeout=SECONDS,
        )  # fmt: skip
    except FileNotFoundError:
        raise UsageError("--diff-base: git was not found") from None
    except subprocess.TimeoutExpired:
        raise UsageError(f"--diff-base: git took longer than {SECONDS} s") from None
    if done.returncode:
        said = done.stderr.strip().splitlines()
        name = arguments[-1].removesuffix("^{commit}")
        reason = said[0] if said else f"'{name}' is no commit"
        raise UsageError(f"--diff-base: {reason}")
    return done.stdout


def only_changed(report: Report, changed: Mapping[str, Ranges]) -> Report:
    """Without findings in nests that are as they were."""
    files = []
    for file in report.files:
        ranges = changed.get(os.path.realpath(file.path), ())
        kept = [advice for advice in file.findings if _touched(file, advice, ranges)]
        files.append(file._replace(findings=tuple(kept)))
    return report._replace(files=tuple(files))


def _touched(file: FileReport, advice: Advice, ranges: Ranges) -> bool:
    first, last = nest_at(file, advice.span.line) or (advice.span.line, advice.span.end_line)
    return any(begin <= last and first <= end for begin, end in ranges)


def nest_at(file: FileReport, line: int) -> tuple[int, int] | None:
    """First and last line of the nest that has ``line``; None where there is none."""
    for function in file.functions:
        for nest in function.nests:
            if nest.line <= line <= nest.end_line:
                return nest.line, nest.end_line
    return None
