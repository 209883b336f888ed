"""Settings of each workspace folder, asked from the client once and again when it says so."""

import asyncio
import fnmatch
import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from pygls.uris import to_fs_path

from rooflint_lsp.documents.settings import SECTION, Hints, Settings, read_settings

Fetch: TypeAlias = Callable[[str | None], Awaitable[Any]]
"""Asks the client for the settings of a scope (a folder's URI)."""


class Configuration:
    """Settings by folder; ``machines``, ``cores`` and ``hints`` overrule them for this session.

    fetch    how to ask; None: the client has none but those it sent
    complain is told of each wrong setting once
    """

    def __init__(self, fetch: Fetch | None, complain: Callable[[str], None]) -> None:
        self.machines: tuple[str, ...] | None = None
        self.cores: str | None = None
        self.hints: Hints | None = None
        self._fetch = fetch
        self._complain = complain
        self._sent: Any = None
        self._said: set[str] = set()
        self._known: dict[str | None, asyncio.Task[Settings]] = {}

    def receive(self, settings: object) -> None:
        """Settings that the client sent by itself, with the section around them or without."""
        inside = settings.get(SECTION) if isinstance(settings, Mapping) else None
        self._sent = inside if isinstance(inside, Mapping) else settings
        self.invalidate()

    def invalidate(self) -> None:
        """They have changed."""
        self._known.clear()

    async def for_folder(self, folder: str | None) -> Settings:
        """Those of a folder's URI; None: of a file that is in none."""
        task = self._known.get(folder)
        if task is None:
            task = self._known[folder] = asyncio.create_task(self._read(folder))
        # who stops waiting must not take the answer away from the others
        settings = await asyncio.shield(task)
        if self.machines is not None:
            settings = settings._replace(machine=self.machines)
        if self.cores is not None:
            settings = settings._replace(cores=self.cores)
        if self.hints is not None:
            settings = settings._replace(hints=self.hints)
        return settings

    async def _read(self, folder: str | None) -> Settings:
        given = self._sent
        if self._fetch is not None:
            try:
                pulled = await self._fetch(folder)
            except Exception:  # a client that cannot say has none
                pulled = None
            given = pulled if pulled is not None else given
        settings, problems = read_settings(given)
        for problem in problems:
            if problem not in self._said:
                self._said.add(problem)
                self._complain(problem)
        return _from_folder(settings, to_fs_path(folder) if folder else None)


def _from_folder(settings: Settings, folder: str | None) -> Settings:
    """Relative paths are meant from the workspace folder, not from where the server runs."""
    if folder is None:
        return settings
    machines = [os.path.join(folder, name) for name in settings.machine]
    database = settings.compile_commands
    return settings._replace(
        machine=tuple(
            [
                path if os.path.isfile(path) else name
                for path, name in zip(machines, settings.machine, strict=True)
            ]
        ),
        compile_commands=None if database is None else os.path.join(folder, database),
    )


def is_excluded(path: str, folder: str | None, settings: Settings) -> bool:
    """Whether a pattern of ``exclude`` means the file or a folder that it lies in."""
    relative = os.path.relpath(path, folder) if folder else path
    parts = relative.replace(os.sep, "/").split("/")
    names = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
    return any(
        fnmatch.fnmatchcase(name, pattern.strip("/").removeprefix("**/"))
        or fnmatch.fnmatchcase(name, pattern.strip("/"))
        for pattern in settings.exclude
        for name in names
    )
