"""Where a repository keeps its data: ``.git``, or what a linked work tree or submodule names.

Git is not asked: to answer, it would read the repository's configuration first.
"""

import os
from pathlib import Path
from typing import Final

from rooflint.errors import UsageError
from rooflint.records import NamedTuple

MARKER: Final = ".git"
LINK: Final = "gitdir: "
MOST_BYTES: Final = 4096
"""Of a file that holds one path or one reference: as long as a path may be."""


class GitFolders(NamedTuple):
    """``root`` of the work tree, its ``own`` data (HEAD, index), and what work trees share."""

    root: Path
    own: Path
    shared: Path


def find_folders(path: Path) -> GitFolders | None:
    """The nearest repository at or above ``path``; None where there is none.

    A folder that is a repository without a work tree does not count: it has no ``.git``, and it may
    be part of a stranger's tree. A ``.git`` that leads elsewhere comes back as it is, for
    ``Repository`` to check that the other end knows of this work tree.
    """
    start = Path(os.path.realpath(path))
    for folder in (start, *start.parents):
        marker = folder / MARKER
        own = _linked(marker) if marker.is_file() else Path(os.path.realpath(marker))
        if (own / "HEAD").is_file():
            return GitFolders(folder, own, _shared(own))
        if marker.is_file():
            raise UsageError(f"{marker}: leads to no repository")
    return None


def first_line(path: Path) -> str:
    """Of a regular file, empty where it is none: a pipe in its place must not be waited for."""
    if not path.is_file():
        return ""
    with path.open("rb") as stream:
        return os.fsdecode(stream.read(MOST_BYTES).partition(b"\n")[0].strip())


def leads_back(folders: GitFolders, work_tree: str) -> bool:
    """Whether data outside of the work tree says that it belongs there.

    Linked work trees are named in their data; of others the configuration's core.worktree is.
    """
    marker = folders.root / MARKER
    if folders.own == marker:
        return True
    named = first_line(folders.own / "gitdir")
    if named and _resolved(folders.own, named) == marker:
        return True
    return bool(work_tree) and _resolved(folders.own, work_tree) == folders.root


def _resolved(folder: Path, path: str) -> Path:
    return Path(os.path.realpath(folder / path)) if "\0" not in path else folder


def _linked(marker: Path) -> Path:
    line = first_line(marker)
    if not line.startswith(LINK):
        raise UsageError(f"{marker}: expected '{LINK}' and a folder")
    return _resolved(marker.parent, line.removeprefix(LINK))


def _shared(own: Path) -> Path:
    """The folder above ``worktrees/NAME`` where that is what the data of a linked tree names."""
    named = first_line(own / "commondir")
    if not named:
        return own
    shared = _resolved(own, named)
    if shared != own.parent.parent:
        raise UsageError(f"{own}/commondir: expected ../.., which holds what work trees share")
    return shared
