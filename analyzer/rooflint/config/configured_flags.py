"""Which flags hold for a file: the command line's part, else the configuration's, else a search."""

import os
from pathlib import Path
from typing import Protocol

from rooflint.compile_flags.find_flags import DATABASE, FlagFinder
from rooflint.compile_flags.flags import Flags
from rooflint.config.settings import Config, ConfigFinder


class FlagOptions(Protocol):
    """The command line's part."""

    @property
    def build_dir(self) -> str | None:
        """Folder or file of the compilation database; None: the nearest one above a file."""

    @property
    def flags(self) -> tuple[str, ...]:
        """Compiler flags of files without an entry there."""


class ConfiguredFlags:
    """Flags of files, each configuration's database read once."""

    def __init__(
        self, options: FlagOptions, configs: ConfigFinder, folder: str | None = None
    ) -> None:
        """``folder``: where flags of the command line are given; the current one where None.

        Raises UsageError when the options name a folder without a database.
        """
        self._options = options
        self._configs = configs
        self._folder = folder
        self._own = FlagFinder(options.build_dir, options.flags, folder)
        self._configured: dict[str, tuple[FlagFinder, tuple[str, ...]]] = {}

    def flags(self, path: str) -> Flags:
        """The flags of a file with what is assumed; RooflintError for a mistake in what says so."""
        finder, assumptions = self._finder(path)
        flags = finder.flags(path)
        if not assumptions:
            return flags
        return flags._replace(
            assumptions=(*flags.assumptions, *assumptions),
            borrowed=(*flags.borrowed, *assumptions),
        )

    def database_files(self, path: str) -> list[str]:
        """Absolute paths of the files of the database that governs ``path``; none without one."""
        return self._finder(path)[0].database_files(path)

    def _finder(self, path: str) -> tuple[FlagFinder, tuple[str, ...]]:
        config = self._configs.config_for(Path(path))
        if not config.database and not config.flags:
            return self._own, ()
        if config.file not in self._configured:
            self._configured[config.file] = self._of(config)
        return self._configured[config.file]

    def _of(self, config: Config) -> tuple[FlagFinder, tuple[str, ...]]:
        options = self._options
        build_dir = options.build_dir
        assumptions: tuple[str, ...] = ()
        if build_dir is None and config.database:
            folder = os.path.isdir(config.database)
            database = os.path.join(config.database, DATABASE) if folder else config.database
            if os.path.isfile(database):
                build_dir = database
            else:
                place = config.place("compile-commands")
                assumptions = (f"no {DATABASE} in {config.database}, which {place} names",)
        if options.flags or not config.flags:
            return FlagFinder(build_dir, options.flags, self._folder), assumptions
        return FlagFinder(build_dir, config.flags, config.flags_folder), assumptions
