"""Which flags hold for a file: its entry's, the command line's, its neighbour's, or a guess."""

import os
from collections.abc import Sequence
from typing import Final

from rooflint.compile_flags.compile_db import Database, FlagsFile, ancestors, load_database
from rooflint.compile_flags.flag_reader import read_flags
from rooflint.compile_flags.flags import Flags
from rooflint.compile_flags.guess import FlagGuesser, with_implementation
from rooflint.current_folder import current_folder
from rooflint.errors import UsageError

DATABASE: Final = "compile_commands.json"
FLAGS_FILE: Final = "compile_flags.txt"
BUILD_FOLDERS: Final = ("build", "out", "builddir", "_build")


class FlagFinder:
    """Finds flags, and keeps the databases it has read.

    ``build_dir`` (``-p``) replaces the search upwards from the file; ``extra`` (what stands after
    ``--``) holds for files without a database entry, with paths relative to ``directory``.
    Raises UsageError when ``build_dir`` has no database, ConfigurationError when one is broken.
    """

    def __init__(
        self, build_dir: str | None = None, extra: Sequence[str] = (), directory: str | None = None
    ) -> None:
        self._extra = tuple(extra)
        self._directory = os.path.normpath(os.path.join(current_folder(), directory or ""))
        self._found: dict[str, Database | FlagsFile | None] = {}
        self._loaded: dict[str, Database] = {}
        self._given: Database | None = None
        self._guesser = FlagGuesser()
        if build_dir is not None:
            path = os.path.join(build_dir, DATABASE) if os.path.isdir(build_dir) else build_dir
            if not os.path.isfile(path):
                raise UsageError(f"{build_dir}: no {DATABASE} there, expected a build folder")
            self._given = load_database(path)

    def flags(self, path: str) -> Flags:
        """The flags of ``path``; what had to be assumed for them is in the flags."""
        path = os.path.abspath(path)
        source = self._given or self._find_in(os.path.dirname(path))
        flags = source.flags(path) if source else None
        if flags is None or isinstance(source, FlagsFile):
            return with_implementation(path, flags or self._assumed(path, source))
        return flags

    def _assumed(self, path: str, source: Database | FlagsFile | None) -> Flags:
        """Those of a file that nothing names: the command line's, a neighbour's, or a guess."""
        if self._extra:
            return read_flags(self._extra, self._directory, path, roots=(self._directory,))
        near = source.interpolated(path) if isinstance(source, Database) else None
        return near or self._guesser.flags(path)

    def database_files(self, path: str) -> list[str]:
        """Absolute paths of the files of the database that governs ``path``; none without one."""
        source = self._given or self._find_in(os.path.dirname(os.path.abspath(path)))
        return source.paths if isinstance(source, Database) else []

    def _find_in(self, folder: str) -> Database | FlagsFile | None:
        """Those of the folder, else of the nearest above it."""
        passed: list[str] = []
        source = None
        for place in ancestors(folder):
            if place in self._found:
                source = self._found[place]
                break
            passed.append(place)
            source = self._look(place)
            if source is not None:
                break
        self._found.update(dict.fromkeys(passed, source))
        return source

    def _look(self, folder: str) -> Database | FlagsFile | None:
        for place in ("", *BUILD_FOLDERS):
            path = os.path.join(folder, place, DATABASE)
            if os.path.isfile(path):
                # One build folder reached by several ways is still one database.
                real = os.path.realpath(path)
                if real not in self._loaded:
                    self._loaded[real] = load_database(real, folder)
                return self._loaded[real]
        path = os.path.join(folder, FLAGS_FILE)
        return FlagsFile(path) if os.path.isfile(path) else None
