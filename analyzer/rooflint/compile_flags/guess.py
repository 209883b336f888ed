"""Flags for a file that no build says anything of: what a person would try first."""

import os
from typing import Final

from rooflint.compile_flags import options
from rooflint.compile_flags.flags import Flags, default_language
from rooflint.compile_flags.options import Language
from rooflint.compile_flags.project_headers import ProjectHeaders

# Newer C++ standards make the standard library's headers up to twice as expensive to read.
STANDARDS: Final[dict[Language, str]] = {
    "c": "gnu17",
    "c++": "gnu++17",
    "cuda": "gnu++17",
    "hip": "gnu++17",
    "cl": "CL2.0",
}
INCLUDE_FOLDERS: Final = ("include", "inc", "src", "source", "utilities", "common")
PROJECT_ROOT: Final = (".git", ".hg", ".svn", "LICENSE", "LICENSE.txt", "LICENSE.md", "COPYING")
MAX_LEVELS: Final = 5
MAX_SHOWN: Final = 8
"""Folders that the assumption names."""


class FlagGuesser:
    """Guesses flags, and keeps the lists of projects' headers that it has read."""

    def __init__(self) -> None:
        self._headers: dict[str, ProjectHeaders] = {}

    def flags(self, path: str) -> Flags:
        """Language by extension, the usual standard, and include folders of the project."""
        path = os.path.abspath(path)
        folder = os.path.dirname(path)
        language = default_language(path)
        if path.endswith(".h") and _among_cxx(folder):
            language = "c++"
        std = STANDARDS[language]
        folders, root = _include_folders(folder)
        given = [f"-I{found}" for found in folders]
        if root:
            headers = self._headers.get(root)
            if headers is None:
                headers = self._headers[root] = ProjectHeaders(root)
            # behind all others: a project may have a header of a system's name for another system
            for found in headers.folders(path, folders):
                given += ["-idirafter", found]
                folders.append(found)
        shown = [os.path.relpath(found, folder) for found in folders]
        more = len(shown) - MAX_SHOWN
        others = f" and {more} more" if more > 0 else ""
        searched = f"headers searched in {', '.join(shown[:MAX_SHOWN])}{others}"
        note = f"no compile command found: parsed as {std}, {searched}"
        return Flags(language, std, tuple(given), assumptions=(note,))


def guess_flags(path: str) -> Flags:
    """The flags of one file, as ``FlagGuesser`` guesses them."""
    return FlagGuesser().flags(path)


def _include_folders(folder: str) -> tuple[list[str], str]:
    """The file's folder and, up to the project's root, each parent and its include folders.

    And the root itself; empty where nothing marks one.
    """
    found = [folder]
    home = os.path.expanduser("~")
    for _ in range(MAX_LEVELS):
        found += [
            place
            for name in INCLUDE_FOLDERS
            if os.path.isdir(place := os.path.join(folder, name)) and place not in found
        ]
        parent = os.path.dirname(folder)
        if any(os.path.exists(os.path.join(folder, name)) for name in PROJECT_ROOT):
            return found, folder
        # Nothing of the project is in a home folder or beside /usr.
        if parent in {folder, home, os.path.dirname(parent)}:
            break
        folder = parent
        found.append(folder)
    return found, ""


def _among_cxx(folder: str) -> bool:
    """Whether C++ lies in the folder, or in the ``src`` beside it if the folder has no source."""
    for place in (folder, os.path.join(folder, os.pardir, "src")):
        try:
            extensions = {os.path.splitext(name)[1] for name in os.listdir(place)}
        except OSError:
            continue
        if any(options.EXTENSIONS.get(extension) in {"c++", "cuda"} for extension in extensions):
            return True
        if ".c" in extensions:
            return False
    return False
