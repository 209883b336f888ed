"""A commit of a git repository as a folder of files, without touching the work tree.

Files are written as git stores them: no filter, hook or attribute of the repository runs.
"""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rooflint.errors import UsageError
from rooflint.prediction import Json

LINK_MODE, SUBMODULE_MODE = "120000", "160000"


class Revision(NamedTuple):
    """A commit: ``name`` as the user wrote it, ``root`` of its repository."""

    name: str
    commit: str
    root: Path

    @property
    def words(self) -> str:
        """``main (1a2b3c4)``."""
        return (
            self.name if self.commit.startswith(self.name) else f"{self.name} ({self.commit[:7]})"
        )


def find_revision(name: str, folder: Path) -> Revision | None:
    """The commit that ``name`` means in the repository of ``folder``; None where it means none."""
    if not name or name.startswith("-"):
        return None
    try:
        root = _git(folder, "rev-parse", "--show-toplevel")
        commit = _git(folder, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    except UsageError:
        return None
    return Revision(name, commit.decode().strip(), Path(os.fsdecode(root.rstrip(b"\n"))))


def write_files(revision: Revision, folder: Path) -> None:
    """The files of the commit below ``folder``; links and submodules are left out.

    Raises UsageError where git cannot say what is in it.
    """
    listed = _git(revision.root, "ls-tree", "-r", "-z", revision.commit)
    found = []
    for entry in filter(None, listed.split(b"\0")):
        head, _, place = entry.partition(b"\t")
        mode, _, name = head.decode().split()
        if mode not in (LINK_MODE, SUBMODULE_MODE):
            found.append((name, os.fsdecode(place)))
    wanted = "".join([f"{name}\n" for name, _ in found]).encode()
    content = _git(revision.root, "cat-file", "--batch", given=wanted)
    position = 0
    for _, path in found:
        end = content.index(b"\n", position)
        size = int(content[position:end].split()[2])
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content[end + 1 : end + 1 + size])
        position = end + 1 + size + 1


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
    """Its counterpart, with what a build left in it and the commit does not have."""
    directory = Path(os.path.normpath(directory))
    if not directory.is_relative_to(root):
        return directory
    target = folder / directory.relative_to(root)
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


def _git(folder: Path, *arguments: str, given: bytes = b"") -> bytes:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], input=given, capture_output=True, check=False
        )
    except FileNotFoundError:
        raise UsageError(
            "git was not found: expected it on PATH, or two paths to compare"
        ) from None
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip().partition("\n")[0]
        raise UsageError(f"git {arguments[0]}: {reason or 'failed'}")
    return done.stdout
