"""``compile_commands.json`` and ``compile_flags.txt``: the flags a build says a file has.

The database is read as clangd reads it: nearest above the file, also in ``build/``; a file without
an entry gets the flags of the entry that is most like it. Commands are split only when asked for,
because splitting all of a large project's takes fifty times as long as reading them.
"""

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Final

from rooflint.compile_flags import options
from rooflint.compile_flags.argv import split_command
from rooflint.compile_flags.flag_reader import read_flags
from rooflint.compile_flags.flags import Flags, default_language
from rooflint.compile_flags.options import Language
from rooflint.errors import ConfigurationError
from rooflint.records import NamedTuple

MAX_DATABASE_BYTES: Final = 256 << 20


class CompileCommand(NamedTuple):
    """One entry: absolute ``path`` and ``directory``, and the command, still a string or split."""

    path: str
    directory: str
    command: str | tuple[str, ...]

    def argv(self) -> Sequence[str]:
        """The command split into arguments, the compiler first."""
        return split_command(self.command) if isinstance(self.command, str) else self.command


class Database:
    """The entries of one ``compile_commands.json``, by path.

    ``root`` is the tree it describes: response files are read below it and below the database's own
    folder only.
    """

    def __init__(self, path: str, entries: Sequence[CompileCommand], root: str) -> None:
        self.path = path
        self.root = root
        self._entries: dict[str, CompileCommand] = {}
        self._repeated: set[str] = set()
        for entry in entries:
            first = self._entries.setdefault(entry.path, entry)
            if first.command != entry.command:
                self._repeated.add(entry.path)

    @property
    def paths(self) -> list[str]:
        """Absolute paths of all entries, sorted."""
        return sorted(self._entries)

    def flags(self, path: str) -> Flags | None:
        """Flags of ``path``: of its own entry only, None without one."""
        entry = self._entries.get(path) or self._by_real_path.get(os.path.realpath(path))
        if entry is None:
            return None
        flags = self._read(entry, path, None)
        if entry.path in self._repeated:
            note = f"{self.path} has several commands for this file; the first one is used"
            flags = flags._replace(assumptions=(*flags.assumptions, note))
        return flags

    def interpolated(self, path: str) -> Flags | None:
        """Flags of the entry most like ``path``; None only when the database is empty.

        Same name but for the extension, then same folder, then the nearest folder; among equals
        the same language, then the first in the alphabet.
        """
        entry = self._nearest(path)
        if entry is None:
            return None
        language = default_language(path)
        if os.path.splitext(path)[1] == ".h":
            language = self._read(entry, entry.path, None).language
        flags = self._read(entry, path, language)
        shown = os.path.relpath(entry.path, os.path.dirname(path))
        note = f"not in {self.path}: parsed with the flags of {shown}"
        return flags._replace(
            assumptions=(*flags.assumptions, note), borrowed=(*flags.borrowed, note)
        )

    def _read(self, entry: CompileCommand, path: str, language: Language | None) -> Flags:
        roots = (self.root, os.path.dirname(self.path))
        return read_flags(entry.argv(), entry.directory, path, roots=roots, language=language)

    def _nearest(self, path: str) -> CompileCommand | None:
        family = _family(path)
        stem = os.path.splitext(os.path.basename(path))[0]
        if namesakes := self._by_stem.get(stem):
            return min(namesakes, key=lambda entry: _distance(path, entry.path, family))
        for folder in ancestors(os.path.dirname(path)):
            if entry := self._by_folder.get((folder, family)):
                return entry
            if entry := self._by_folder.get((folder, None)):
                return entry
        return None

    @cached_property
    def _by_real_path(self) -> dict[str, CompileCommand]:
        return {os.path.realpath(path): entry for path, entry in self._entries.items()}

    @cached_property
    def _by_stem(self) -> dict[str, list[CompileCommand]]:
        stems: dict[str, list[CompileCommand]] = {}
        for entry in self._entries.values():
            stem = os.path.splitext(os.path.basename(entry.path))[0]
            stems.setdefault(stem, []).append(entry)
        return stems

    @cached_property
    def _by_folder(self) -> dict[tuple[str, str | None], CompileCommand]:
        """First entry at or below each folder, of each language family and of any (None)."""
        folders: dict[tuple[str, str | None], CompileCommand] = {}
        for path in self.paths:
            entry = self._entries[path]
            for folder in ancestors(os.path.dirname(path)):
                folders.setdefault((folder, _family(path)), entry)
                folders.setdefault((folder, None), entry)
        return folders


def load_database(path: str, root: str | None = None) -> Database:
    """Read a ``compile_commands.json``; ``root`` defaults to its folder.

    Raises ConfigurationError with file and line when it is not what a database looks like.
    """
    import json  # noqa: PLC0415 - a millisecond, and single files have no database

    path = os.path.abspath(path)
    folder = os.path.dirname(path)
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_DATABASE_BYTES + 1)
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from error
    if len(data) > MAX_DATABASE_BYTES:
        raise ConfigurationError(f"{path}: larger than {MAX_DATABASE_BYTES >> 20} MiB")
    # Paths are bytes on most systems; what is not UTF-8 has to survive the way to open().
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    try:
        raw = json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigurationError(f"{path}:{error.lineno}: not valid JSON: {error.msg}") from error
    except RecursionError as error:
        raise ConfigurationError(f"{path}:1: nested too deeply, expected a list") from error
    except ValueError as error:  # thousands of digits
        raise ConfigurationError(f"{path}: a number too long, expected a list") from error
    if not isinstance(raw, list):
        raise ConfigurationError(f"{path}:1: expected a list of entries, got {_kind(raw)}")
    entries = []
    for index, item in enumerate(raw):
        entry = _entry(item, folder)
        if isinstance(entry, str):
            raise ConfigurationError(f"{path}:{_line_of_entry(text, index)}: {entry}")
        entries.append(entry)
    return Database(path, entries, os.path.abspath(root or folder))


def _entry(item: object, folder: str) -> CompileCommand | str:
    """The entry, or what is wrong with it."""
    if not isinstance(item, dict):
        return f"expected an entry with 'file' and 'command', got {_kind(item)}"
    values: dict[str, Any] = item
    file: Any = values.get("file")
    directory: Any = values.get("directory", folder)
    if not file or not _can_be_path(file):
        return "expected 'file' with a path"
    if not _can_be_path(directory):
        return "expected 'directory' with a path"
    arguments, command = values.get("arguments"), values.get("command")
    if isinstance(arguments, list) and all(isinstance(word, str) for word in arguments):
        command = tuple(arguments)
    elif not isinstance(command, str):
        return f"expected 'command' or 'arguments' for {file}"
    directory = os.path.normpath(os.path.join(folder, directory))
    return CompileCommand(os.path.normpath(os.path.join(directory, file)), directory, command)


def _can_be_path(text: object) -> bool:
    if not isinstance(text, str):
        return False
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def _line_of_entry(text: str, index: int) -> int:
    """The line where the entry of that index starts."""
    import json  # noqa: PLC0415 - as in the caller

    decoder = json.JSONDecoder()
    position = text.index("[") + 1
    for _ in range(index + 1):
        while text[position] in " \t\r\n,":
            position += 1
        start = position
        position = decoder.raw_decode(text, position)[1]
    return text.count("\n", 0, start) + 1


def _kind(value: object) -> str:
    kinds = {dict: "an object", list: "a list", str: "a string", bool: "a truth value"}
    return kinds.get(type(value), "null" if value is None else "a number")


class FlagsFile(NamedTuple):
    """A ``compile_flags.txt``: one flag a line, for every file below it."""

    path: str

    def flags(self, path: str) -> Flags:
        """The flags of ``path``; raises ConfigurationError when the file cannot be read."""
        folder = os.path.dirname(self.path)
        try:
            with open(self.path, encoding="utf-8", errors="surrogateescape") as file:
                argv = [line.strip() for line in file if line.strip()]
        except OSError as error:
            raise ConfigurationError(f"{self.path}: cannot be read: {error.strerror}") from error
        return read_flags(["cc", *argv], folder, path, roots=(folder,))


def _family(path: str) -> str:
    """The language by extension; empty for ``.h``, which is at home with C and with C++."""
    extension = os.path.splitext(path)[1]
    return "" if extension == ".h" else options.EXTENSIONS.get(extension, "c++")


def ancestors(folder: str) -> Iterator[str]:
    """The folder itself and those above it, up to the root of the file system."""
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


def _distance(path: str, other: str, family: str) -> tuple[int, bool, str]:
    """Smaller is nearer: fewer shared leading folders is farther."""
    shared = len(os.path.commonpath((path, other)).split(os.sep))
    return -shared, _family(other) != family, other
