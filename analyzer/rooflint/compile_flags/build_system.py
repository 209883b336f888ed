"""The build system of a tree, by its files, and the command that makes a compile database.

No build tool is run: a command is for the user to run. Names of presets and folders come from the
tree, so they are quoted in it.
"""

import json
import os
import shlex
import stat
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Final

from rooflint.compile_flags.find_flags import DATABASE
from rooflint.compile_flags.options import EXTENSIONS, HEADERS
from rooflint.compile_flags.regular_files import read_regular
from rooflint.records import NamedTuple

DATABASE_DEPTH: Final = 2
"""Folders below the root in which a database is looked for: ``build/release``."""
SOURCE_DEPTH: Final = 2
"""Folders below a subproject in which its sources are looked for."""
HOST_LANGUAGES: Final = ("c", "c++")
"""Of sources that a project builds in every case; those of devices need a device's compiler."""
MAX_PRESETS_BYTES: Final = 1 << 20
PRESETS: Final = "CMakePresets.json"
MAKEFILES: Final = ("GNUmakefile", "makefile", "Makefile")
"""In the order in which make looks for them."""
_CMAKE_OPTION: Final = "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"


class BuildKind(Enum):
    """The means of a tree to make a compile database, the best first."""

    DATABASE = "database"
    CMAKE_PRESETS = "cmake-presets"
    CMAKE = "cmake"
    MESON = "meson"
    CONFIGURE = "configure"
    MAKE = "make"
    MAKE_SUBFOLDERS = "make-subfolders"
    NONE = "none"


class BuildSystem(NamedTuple):
    """How the files of a tree are compiled.

    command   makes a compile database when it is run in the tree; empty where nothing is known to
    database  path of the existing one, relative to the tree; empty without one
    folder    where ``command`` puts the database, relative to the tree; empty where unknown
    others    databases, presets or subfolders that would have done as well
    """

    kind: BuildKind
    command: str = ""
    database: str = ""
    folder: str = ""
    others: tuple[str, ...] = ()


def build_system(root: str) -> BuildSystem:
    """The build system of the tree at ``root``: a pure reading of names and of CMake's presets."""
    return next(
        found
        for look in (_database, _cmake_presets, _cmake, _meson, _make, _make_subfolders, _nothing)
        for found in [look(root)]
        if found is not None
    )


def _database(root: str) -> BuildSystem | None:
    """The newest within two folders; several paths to one file are one database."""
    by_file: dict[str, str] = {}
    for folder in _folders(root, DATABASE_DEPTH):
        path = os.path.join(folder, DATABASE)
        if _is_file(path):
            by_file.setdefault(os.path.realpath(path), os.path.relpath(path, root))
    newest_first = sorted(by_file, key=lambda file: (-os.stat(file).st_mtime_ns, by_file[file]))
    paths = [by_file[file] for file in newest_first]
    if not paths:
        return None
    return BuildSystem(kind=BuildKind.DATABASE, database=paths[0], others=tuple(paths[1:]))


def _cmake_presets(root: str) -> BuildSystem | None:
    presets = _presets(os.path.join(root, PRESETS))
    names = [name for name, preset in presets.items() if not preset.get("hidden")]
    if not names:
        return None
    return BuildSystem(
        kind=BuildKind.CMAKE_PRESETS,
        command=f"cmake --preset {shlex.quote(names[0])} {_CMAKE_OPTION}",
        folder=_preset_folder(names[0], presets),
        others=tuple(names[1:]),
    )


def _presets(path: str) -> dict[str, dict[str, Any]]:
    """Configure presets by name; none of a file that cannot be read."""
    try:
        if os.stat(path).st_size > MAX_PRESETS_BYTES:
            return {}
        document: Any = json.loads(read_regular(path))
    except (OSError, ValueError, RecursionError):
        return {}
    presets = document.get("configurePresets") if isinstance(document, dict) else None
    return {
        each["name"]: each
        for each in (presets if isinstance(presets, list) else [])
        if isinstance(each, dict) and isinstance(each.get("name"), str)
    }


def _preset_folder(name: str, presets: Mapping[str, Mapping[str, Any]]) -> str:
    """The preset's ``binaryDir``, its own or inherited, below the tree; empty for others."""
    waiting, seen = [name], set[str]()
    while waiting:
        preset = presets.get(current := waiting.pop(0))
        if preset is None or current in seen:
            continue
        seen.add(current)
        folder = preset.get("binaryDir")
        if isinstance(folder, str):
            root, _, below = folder.replace("${presetName}", name).partition("/")
            return below if root == "${sourceDir}" and "$" not in below else ""
        parents = preset.get("inherits", [])
        parents = [parents] if isinstance(parents, str) else parents
        waiting = [each for each in parents if isinstance(each, str)] + waiting
    return ""


def _cmake(root: str) -> BuildSystem | None:
    if not _has(root, "CMakeLists.txt"):
        return None
    command = f"cmake -S . -B build {_CMAKE_OPTION}"
    return BuildSystem(kind=BuildKind.CMAKE, command=command, folder="build")


def _meson(root: str) -> BuildSystem | None:
    if not _has(root, "meson.build"):
        return None
    return BuildSystem(kind=BuildKind.MESON, command="meson setup build", folder="build")


def _make(root: str) -> BuildSystem | None:
    if _has(root, *MAKEFILES):
        return BuildSystem(kind=BuildKind.MAKE, command="bear -- make", folder=".")
    if _has(root, "configure"):
        command = "./configure && bear -- make"
        return BuildSystem(kind=BuildKind.CONFIGURE, command=command, folder=".")
    return None


def _make_subfolders(root: str) -> BuildSystem | None:
    """Those with sources first: one for a GPU may have none that a C compiler reads."""
    names = [
        os.path.basename(folder)
        for folder in _folders(root, 1)
        if folder != root and _has(folder, *MAKEFILES)
    ]
    if not names:
        return None
    names.sort(key=lambda name: (not _has_sources(os.path.join(root, name)), name))
    command = f"bear -- make -C {shlex.quote(names[0])}"
    return BuildSystem(
        kind=BuildKind.MAKE_SUBFOLDERS, command=command, folder=".", others=tuple(names[1:])
    )


def _nothing(_: str) -> BuildSystem:
    return BuildSystem(kind=BuildKind.NONE)


def _has_sources(root: str) -> bool:
    """Whether there is a C or C++ source in the folder or a few below it."""
    return any(
        EXTENSIONS.get(extension) in HOST_LANGUAGES and extension not in HEADERS
        for folder in _folders(root, SOURCE_DEPTH)
        for name in _listed(folder)
        for extension in [os.path.splitext(name)[1]]
    )


def _folders(root: str, depth: int) -> Iterator[str]:
    """``root`` and the folders below it, the upper first, each level by name; no hidden ones."""
    level: Sequence[str] = (root,)
    for remaining in range(depth, -1, -1):
        yield from level
        if remaining:
            level = [path for folder in level for path in _subfolders(folder)]


def _subfolders(folder: str) -> list[str]:
    paths = [os.path.join(folder, name) for name in _listed(folder) if not name.startswith(".")]
    return [path for path in paths if os.path.isdir(path) and not os.path.islink(path)]


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _has(folder: str, *names: str) -> bool:
    return any(_is_file(os.path.join(folder, name)) for name in names)


def _is_file(path: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False
