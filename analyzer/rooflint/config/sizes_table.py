"""Writes sizes into a configuration file, whose comments and order stay.

A table with a header of its own, ``[sizes]``, is edited line by line; the result is read back and
compared, so that a file written in another way is left alone and the user told.
"""

import os
import string
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rooflint.config.file import SHARED_FILE, SHARED_TABLE, read_bytes, settings_of
from rooflint.config.settings import OWN_FILES, Config
from rooflint.errors import ConfigurationError
from rooflint.escaping import json_text
from rooflint.records import NamedTuple

_BARE: Final = frozenset(f"{string.ascii_letters}{string.digits}_-")
"""Characters of a key of TOML that needs no quotes."""


class SizesTable(NamedTuple):
    """``[sizes]`` of a file, or the table of a ``scenario``; the file need not be there."""

    path: Path
    scenario: str = ""

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that lead to the table in its file."""
        own = ("scenario", self.scenario) if self.scenario else ("sizes",)
        return (*SHARED_TABLE, *own) if self.path.name == SHARED_FILE else own

    def write(self, sizes: Mapping[str, int]) -> None:
        """Sets the sizes; raises ConfigurationError where the file cannot be edited."""
        lines = "; ".join(f"{toml_key(name)} = {size}" for name, size in sizes.items())
        change = SettingsChange(path=self.path, keys=self.keys, lines=lines, subject="sizes")
        change.write(lambda text: with_sizes(text, self.keys, sizes))


class SettingsChange(NamedTuple):
    """A change of a configuration file; the file need not be there.

    keys     lead to the changed table
    lines    what the user would write there
    subject  what changes, in the plural
    """

    path: Path
    keys: tuple[str, ...]
    lines: str
    subject: str

    def write(self, changed: Callable[[str], str | None]) -> None:
        """Writes the changed text; raises ConfigurationError where it cannot be edited (None)."""
        if self.path.is_symlink():
            raise ConfigurationError(
                f"{self.path}: is a link; name the {self.subject} in the file itself"
            )
        text = changed(read_bytes(self.path).decode("utf-8") if self.path.exists() else "")
        if text is None:
            header = ".".join(map(toml_key, self.keys))
            where = f"with a line [{header}] before" if header else "before any table"
            remedy = f"write them yourself, {where}: {self.lines}"
            raise ConfigurationError(f"{self.path}: its {self.subject} cannot be edited; {remedy}")
        try:
            self.path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise ConfigurationError(f"{self.path}: cannot be written: {error.strerror}") from None


def with_sizes(text: str, keys: Sequence[str], sizes: Mapping[str, int]) -> str | None:
    """The text with these sizes in the table at ``keys``; None where it would say anything else."""
    lines = text.splitlines()
    mark = "\r\n" if "\r\n" in text else "\n"
    for name, size in sizes.items():
        lines = with_setting(lines, tuple(keys), name, str(size))
    changed = "".join(f"{line}{mark}" for line in lines)
    expected = table = tomllib.loads(text)
    for key in keys:
        table = table.setdefault(key, {})
        if not isinstance(table, dict):
            return None
    table.update(sizes)
    return changed if read_toml(changed) == expected else None


def toml_key(name: str) -> str:
    """The name as a key of TOML."""
    return name if name and _BARE.issuperset(name) else json_text(name, indent=None)


def with_setting(lines: list[str], keys: tuple[str, ...], name: str, value: str) -> list[str]:
    """The lines with a value, as TOML writes it, in the table at ``keys``; () is the file itself.

    A value that goes over several lines comes out wrong; read the result back.
    """
    places = dict(settings_of(lines))
    own = places.get((*keys, name))
    if own is not None:
        before, _, comment = lines[own - 1].partition("#")
        setting = f"{before.partition('=')[0].rstrip()} = {value}"
        padding = " " * max(1, len(before) - len(setting))
        changed = f"{setting}{padding}#{comment}" if comment else setting
        return [*lines[: own - 1], changed, *lines[own:]]
    line = f"{toml_key(name)} = {value}"
    if not keys:
        start = _end_of_top_level(lines)
        return [*lines[:start], line, *lines[start:]]
    if keys not in places:
        header = f"[{'.'.join(map(toml_key, keys))}]"
        return [*lines, *([""] if lines else []), header, line]
    last = max(number for each, number in places.items() if each[: len(keys)] == keys)
    return [*lines[:last], line, *lines[last:]]


def _end_of_top_level(lines: Sequence[str]) -> int:
    """The lines before the first table, without the empty ones above it."""
    end = next((number for number, each in enumerate(lines) if each.startswith("[")), len(lines))
    while end and not lines[end - 1].strip():
        end -= 1
    return end


def read_toml(text: str) -> Any:  # noqa: ANN401 - any part of a document
    """The document, or None for what is none."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def table_of(config: Config, folder: str | Path, scenario: str) -> SizesTable:
    """The table that holds for what ``config`` governs; of a new file in ``folder`` without one."""
    path = Path(config.file) if config.file else Path(folder) / OWN_FILES[0]
    return SizesTable(path, scenario)


def common_folder(paths: Sequence[str]) -> Path:
    """The nearest folder that has all these files and folders."""
    folders = [each if os.path.isdir(each) else os.path.dirname(each) for each in paths]
    return Path(os.path.commonpath([os.path.abspath(each) for each in folders]))
