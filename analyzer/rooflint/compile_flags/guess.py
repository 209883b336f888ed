"""Flags for a file that no build says anything of: what a person would try first."""

import os
from typing import Final

from rooflint.compile_flags import options
from rooflint.compile_flags.flags import Flags, default_language
from rooflint.compile_flags.options import Language

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


def guess_flags(path: str) -> Flags:
    """Language by extension, the usual standard, and include folders found beside the file."""
    path = os.path.abspath(path)
    folder = os.path.dirname(path)
    language = default_language(path)
    if path.endswith(".h") and _among_cxx(folder):
        language = "c++"
    std = STANDARDS[language]
    folders = _include_folders(folder)
    shown = ", ".join(os.path.relpath(found, folder) for found in folders)
    note = f"no compile command found: parsed as {std}, headers searched in {shown}"
    return Flags(language, std, tuple(f"-I{found}" for found in folders), assumptions=(note,))


def _include_folders(folder: str) -> list[str]:
    """The file's folder and, up to the project's root, each parent and its include folders."""
    found = [folder]
    home = os.path.expanduser("~")
    for _ in range(MAX_LEVELS):
        found += [
            place
            for name in INCLUDE_FOLDERS
            if os.path.isdir(place := os.path.join(folder, name)) and place not in found
        ]
        parent = os.path.dirname(folder)
        at_root = any(os.path.exists(os.path.join(folder, name)) for name in PROJECT_ROOT)
        # Nothing of the project is in a home folder or beside /usr.
        if at_root or parent in {folder, home, os.path.dirname(parent)}:
            break
        folder = parent
        found.append(folder)
    return found


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
