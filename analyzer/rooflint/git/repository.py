"""A repository's commits: which one a name means, what is in it, and where two branches part."""

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Final

from rooflint.errors import UsageError
from rooflint.git.command import GitError, git_program, run_git
from rooflint.git.folders import GitFolders, find_folders, first_line, leads_back
from rooflint.git.settings import RepositoryFormat, private_configuration, read_format
from rooflint.records import NamedTuple

REFERENCE: Final = "ref: refs/"
ID_LENGTHS: Final = (40, 64)
"""Hexadecimal digits of SHA-1 and SHA-256."""
REGULAR: Final = ("100644", "100755", "100664")
"""Modes of files; links and submodules have others."""
OF_A_WORK_TREE: Final = ("FETCH_HEAD", "ORIG_HEAD", "MERGE_HEAD", "logs/HEAD")
SHARED: Final = ("refs", "packed-refs", "reftable", "shallow", "logs/refs", "info/exclude")
BATCH_BYTES: Final = 64 << 20
"""Contents that are asked for at once, and the largest file that is read: no source is so long."""
NO: Final = 1
"""The exit code of git's commands that answer a question."""


class TreeFile(NamedTuple):
    """A file of a commit: its place below the root, the name of its content, and how much it is."""

    path: str
    blob: str
    size: int


class Repository:
    """Reads commits through a folder of our own; ``open_repository`` makes one.

    root  of the work tree, without links in its path
    """

    def __init__(
        self,
        folders: GitFolders,
        program: str,
        variables: Mapping[str, str],
        form: RepositoryFormat,
    ) -> None:
        self.root = folders.root
        self._folders = folders
        self._program = program
        self._variables = variables
        self._format = form

    @property
    def is_shallow(self) -> bool:
        """Whether history ends where the clone was cut."""
        return (self._folders.shared / "shallow").is_file()

    def commit(self, name: str) -> str | None:
        """The commit that a branch, tag, id or ``HEAD~2`` means; None where it means none."""
        if not name or name.startswith("-") or "\0" in name:
            return None
        try:
            found = self._git("rev-parse", "--verify", "--quiet", "--end-of-options",
                              f"{name}^{{commit}}")  # fmt: skip
        except GitError as error:
            if error.code == NO:
                return None
            raise
        return found.decode().split()[-1]

    def merge_base(self, one: str, other: str) -> str | None:
        """The commit where the histories of two commits part; None where they share none."""
        try:
            return self._git("merge-base", one, other).decode().strip()
        except GitError as error:
            if error.code == NO and not error.reason:
                return None
            raise

    def files(self, commit: str) -> Iterator[TreeFile]:
        """The files of a commit; links, submodules and paths that leave the tree are left out."""
        for entry in self._git("ls-tree", "-r", "-l", "-z", "--full-tree", commit).split(b"\0"):
            head, _, path = entry.partition(b"\t")
            mode, *_, blob, size = head.decode().split() or ["", "", ""]
            if mode in REGULAR and is_below(os.fsdecode(path)):
                # contents that a partial clone lacks have no size
                yield TreeFile(os.fsdecode(path), blob, int(size) if size.isdecimal() else 0)

    def contents(self, files: Iterable[TreeFile]) -> Iterator[tuple[TreeFile, bytes]]:
        """Each file with its content as git stores it; UsageError where the clone lacks one."""
        batch: list[TreeFile] = []
        for file in files:
            if batch and sum(each.size for each in batch) + file.size > BATCH_BYTES:
                yield from self._contents(batch)
                batch = []
            batch.append(file)
        yield from self._contents(batch)

    def _contents(self, files: Sequence[TreeFile]) -> Iterator[tuple[TreeFile, bytes]]:
        asked = "".join([f"{file.blob}\n" for file in files]).encode()
        content = self._git("cat-file", "--batch", given=asked) if files else b""
        position = 0
        for file in files:
            end = content.index(b"\n", position)
            _, *answer = content[position:end].split()
            if len(answer) != 2:
                raise UsageError(
                    f"{file.path}: its content is not in this clone (a partial clone?): get it with"
                    " 'git fetch --refetch --no-filter'"
                )
            size = int(answer[1])
            yield file, content[end + 1 : end + 1 + size]
            position = end + 1 + size + 1

    def blob_of(self, content: bytes) -> str:
        """The name that git gives a content."""
        sha = hashlib.sha256 if self._format.object_format == "sha256" else hashlib.sha1
        return sha(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()

    def ignored(self, paths: Sequence[str]) -> frozenset[str]:
        """Those of ``paths`` below the root that git neither has nor wants."""
        if not paths:
            return frozenset()
        # behind './' no name is a pattern
        asked = b"".join([b"./" + os.fsencode(path) + b"\0" for path in paths])
        try:
            found = self._git("check-ignore", "-z", "--stdin", given=asked)
        except GitError as error:
            if error.code == NO:
                return frozenset()
            raise
        answer = filter(None, found.split(b"\0"))
        return frozenset([os.fsdecode(path).removeprefix("./") for path in answer])

    def _git(self, *arguments: str, given: bytes = b"") -> bytes:
        return run_git(self._program, arguments, self._variables, given)


@contextmanager
def open_repository(path: Path) -> Iterator[Repository]:
    """The repository at or above ``path``; raises UsageError where there is none to be read."""
    folders = find_folders(path)
    if folders is None:
        raise UsageError(f"{path}: in no git repository")
    program = git_program(folders.root)
    with tempfile.TemporaryDirectory(prefix="rooflint-git-") as name:
        private = Path(name)
        variables = {
            "GIT_DIR": name,
            "GIT_WORK_TREE": str(folders.root),
            "GIT_OBJECT_DIRECTORY": str(folders.shared / "objects"),
            "GIT_INDEX_FILE": str(folders.own / "index"),
        }
        form = RepositoryFormat(
            object_format="sha1", reference_format="files", work_tree="", followed=()
        )
        settings = folders.shared / "config"
        if settings.is_file():
            listing = ("config", "--no-includes", "--list", "-z", "--file", str(settings))
            form = read_format(run_git(program, listing, variables))
        if not leads_back(folders, form.work_tree):
            raise UsageError(
                f"{folders.root}/.git leads to {folders.own}, which belongs to another work tree:"
                " 'git worktree repair' mends a work tree that was moved"
            )
        _fill(private, folders, form)
        yield Repository(folders, program, variables, form)


def _fill(private: Path, folders: GitFolders, form: RepositoryFormat) -> None:
    (private / "config").write_bytes(private_configuration(form))
    (private / "HEAD").write_text(f"{_head(folders)}\n", errors="surrogateescape")
    for folder in ("objects", "logs", "info"):
        (private / folder).mkdir()
    for source, names in ((folders.own, OF_A_WORK_TREE), (folders.shared, SHARED)):
        for name in names:
            if (source / name).exists():
                (private / name).symlink_to(source / name)
    if not (private / "refs").exists():
        (private / "refs").mkdir()
    for part in folders.own.glob("sharedindex.*"):
        (private / part.name).symlink_to(part)


def _head(folders: GitFolders) -> str:
    head = first_line(folders.own / "HEAD")
    if not _is_head(head):
        raise UsageError(f"{folders.own}/HEAD: expected 'ref: refs/…' or a commit")
    return head


def is_below(path: str) -> bool:
    """Whether a path of a commit stays below the root: its trees need not come from git itself."""
    parts = path.split("/")
    plain = not any(part in ("", os.curdir, os.pardir) for part in parts)
    return plain and os.sep.join(parts) == str(PurePosixPath(path))


def _is_head(line: str) -> bool:
    if line.startswith(REFERENCE):
        name = line.removeprefix(REFERENCE)
        return bool(name) and min(name) > " "
    return len(line) in ID_LENGTHS and not line.strip("0123456789abcdef")
