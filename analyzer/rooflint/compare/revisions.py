"""A commit of a git repository as a folder of files, without touching the work tree.

Files are written as git stores them: no filter, hook or attribute of the repository runs.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from rooflint.errors import UsageError
from rooflint.git import Repository
from rooflint.plugin_api.prediction import Json
from rooflint.records import NamedTuple

LARGEST_BYTES: Final = 64 << 20
"""Of a file that is written; a longer one is no source."""
MOST_BYTES: Final = 8 << 30
"""Of all files: the sources of a Linux kernel have 1.3 GiB, those of LLVM less than 3."""


class Revision(NamedTuple):
    """A commit: ``name`` as the user wrote it, and the ``repository`` that has it."""

    name: str
    commit: str
    repository: Repository

    @property
    def root(self) -> Path:
        """The work tree of its repository."""
        return self.repository.root

    @property
    def words(self) -> str:
        """``main (1a2b3c4)``."""
        return (
            self.name if self.commit.startswith(self.name) else f"{self.name} ({self.commit[:7]})"
        )


def find_revision(name: str, repository: Repository) -> Revision | None:
    """The commit that ``name`` means; None where it means none."""
    commit = repository.commit(name)
    return None if commit is None else Revision(name, commit, repository)


def write_files(revision: Revision, folder: Path) -> None:
    """The files of the commit below ``folder``; links, submodules and huge files are left out.

    Raises UsageError where git cannot say what is in it, or there is too much of it.
    """
    repository = revision.repository
    files = [file for file in repository.files(revision.commit) if file.size <= LARGEST_BYTES]
    if sum([file.size for file in files]) > MOST_BYTES:
        raise UsageError(f"{revision.words} has more than {MOST_BYTES >> 30} GiB of files")
    for file, content in repository.contents(files):
        target = folder / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def move_database(database: Path, root: Path, folder: Path) -> None:
    """The compilation database of the work tree at ``root`` for the files in ``folder``.

    Paths below ``root`` become those below ``folder`` where the commit has them; what is there only
    after a build (generated headers) stays where it is.
    """
    try:
        entries: Json = json.loads(database.read_bytes())
    except (ValueError, RecursionError):
        return  # whoever reads the flags says so
    if not isinstance(entries, list):
        return
    moved: list[Json] = []
    for entry in entries:
        if isinstance(entry, Mapping):
            changed = {key: _moved(value, root, folder) for key, value in entry.items()}
            directory = entry.get("directory")
            if isinstance(directory, str):
                changed["directory"] = str(_build_folder(Path(directory), root, folder))
            moved.append(changed)
    (folder / database.name).write_text(json.dumps(moved), encoding="utf-8")


def _build_folder(directory: Path, root: Path, folder: Path) -> Path:
    directory = Path(os.path.normpath(directory))
    if not directory.is_relative_to(root):
        return directory
    place = directory.relative_to(root)
    target = folder / place
    if target.resolve() != folder.resolve() / place:
        return directory  # a link made for another entry leads back into the work tree
    target.mkdir(parents=True, exist_ok=True)
    if directory.is_dir():
        for child in directory.iterdir():
            if not os.path.lexists(target / child.name) and child.name != ".git":
                (target / child.name).symlink_to(child)
    return target


def _moved(value: Json, root: Path, folder: Path) -> Json:
    if isinstance(value, str):
        return _moved_text(value, f"{root}{os.sep}", folder)
    if isinstance(value, Sequence):
        return [_moved(each, root, folder) for each in value]
    return value


def _moved_text(text: str, root: str, folder: Path) -> str:
    parts = list(_parts(text, root))
    return "".join(
        [
            f"{folder}{os.sep}{p.removeprefix(root)}" if _is_there(p, root, folder) else p
            for p in parts
        ]
    )


def _parts(text: str, root: str) -> Iterator[str]:
    """``text`` cut before each occurrence of ``root``."""
    first, *rest = text.split(root)
    yield first
    for each in rest:
        yield root + each


def _is_there(part: str, root: str, folder: Path) -> bool:
    if not part.startswith(root):
        return False
    path = part.removeprefix(root).split(" ")[0].rstrip("'\"")
    return os.path.lexists(folder / path)
