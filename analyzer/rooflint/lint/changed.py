"""Only what changed: findings whose nest has a line that the branch's base does not have."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from rooflint.errors import UsageError
from rooflint.git import Repository, TreeFile, open_repository
from rooflint.lint.changed_lines import changed_ranges
from rooflint.plugin_api.advice import Advice
from rooflint.plugin_api.report import FileReport, Report

Ranges = Sequence[tuple[int, int]]
"""First and last lines, both inclusive."""
ALL: Final = ((1, 1 << 30),)
OPTION: Final = "--diff-base"


class BranchChanges:
    """Differences between the work tree and the commit where its branch left the base.

    That is the merge base of the two: what others did to the base since then is not of this branch.
    """

    def __init__(self, repository: Repository, base: str) -> None:
        self._repository = repository
        self._files = {file.path: file for file in repository.files(base)}

    def lines(self, paths: Iterable[str]) -> dict[str, Ranges]:
        """The lines of each file that differ, by its real path; all of a file that is new.

        Git's copy is compared with the file as it is, whatever an attribute or a filter would make
        of either; only how lines end makes no difference. Files of other repositories, and those
        that git ignores, have no such lines.
        """
        places = {self._place(real): real for real in map(os.path.realpath, paths)}
        ours = {place: real for place, real in places.items() if place}
        new = [place for place in ours if place not in self._files]
        ignored = self._repository.ignored(new)
        changed = {ours[place]: ALL for place in new if place not in ignored}
        return {**self._differing(ours), **changed}

    def _differing(self, ours: Mapping[str, str]) -> dict[str, Ranges]:
        """The lines of files that git has otherwise; ``ours``: real paths by places."""
        differing: list[tuple[TreeFile, bytes]] = []
        for place, real in ours.items():
            file, content = self._files.get(place), Path(real).read_bytes()
            if file is not None and file.blob != self._repository.blob_of(content):
                differing.append((file, content))
        committed = self._repository.contents([file for file, _ in differing])
        return {
            ours[file.path]: changed_ranges(before, after)
            for (file, before), (_, after) in zip(committed, differing, strict=True)
        }

    def _place(self, real: str) -> str:
        """A file's place in the repository; empty where it is in none, or in one inside of it."""
        root, path = self._repository.root, Path(real)
        if not path.is_relative_to(root) or not path.is_file():
            return ""
        above = path.relative_to(root).parents
        inner = any(os.path.lexists(root / folder / ".git") for folder in list(above)[:-1])
        return "" if inner else path.relative_to(root).as_posix()


@contextmanager
def branch_changes(base: str, path: str) -> Iterator[BranchChanges]:
    """The changes since ``base``, a commit of the repository that ``path`` is in.

    Raises UsageError where the repository or the commit is not there, or shares no history.
    """
    with ExitStack() as stack:
        try:
            repository = stack.enter_context(open_repository(Path(path)))
            changes = BranchChanges(repository, _merge_base(repository, base))
        except UsageError as error:
            raise UsageError(f"{OPTION}: {error}") from None
        yield changes


def _merge_base(repository: Repository, base: str) -> str:
    fetch = "; this clone is shallow: 'git fetch --unshallow' gets the rest"
    remedy = fetch if repository.is_shallow else ""
    commit = repository.commit(base)
    if commit is None:
        raise UsageError(f"'{base}' is not a commit{remedy}")
    head = repository.commit("HEAD")
    if head is None:
        raise UsageError("nothing is committed here yet, so nothing changed since a commit")
    found = repository.merge_base(commit, head)
    if found is None:
        shared = remedy or "; name a commit that the branch started from"
        raise UsageError(f"'{base}' and HEAD share no commit{shared}")
    return found


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
