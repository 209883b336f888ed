"""Configuration files as tables whose values know where they are written, and what they extend."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from rooflint.compile_flags.regular_files import digest_of
from rooflint.errors import ConfigurationError, near_miss
from rooflint.records import NamedTuple
from rooflint.startup.late_pattern import late_pattern

SHARED_FILE: Final = "pyproject.toml"
SHARED_TABLE: Final = ("tool", "rooflint")
MAX_FILE_BYTES: Final = 1 << 20
EXTENDS: Final = "extends"

_KEY: Final = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')"""
_DOTTED: Final = rf"{_KEY}(?:\s*\.\s*{_KEY})*"
_HEADER: Final = late_pattern(rf"\s*\[\s*({_DOTTED})\s*\]")
_SETTING: Final = late_pattern(rf"\s*({_DOTTED})\s*=")


class ConfigFile(NamedTuple):
    """The Rooflint settings of one file.

    digest  of the whole text
    lines   on which a value is set, by the keys that lead to it
    """

    path: Path
    digest: str
    table: Mapping[str, Any]
    lines: Mapping[tuple[str, ...], int]

    def line(self, *keys: str) -> int:
        """The line of a value, or of the table it is in; 0 where neither is known."""
        known = [
            self.lines[keys[:end]] for end in range(1, len(keys) + 1) if keys[:end] in self.lines
        ]
        return known[-1] if known else 0

    def wrong(self, message: str, *keys: str) -> ConfigurationError:
        """An error in the value that ``keys`` lead to."""
        return ConfigurationError(message, str(self.path), self.line(*keys))


def config_files(path: Path, text: str | None = None) -> list[ConfigFile]:
    """A file and those that it extends, the nearest first; raises ConfigurationError.

    text  of the file where it is not the one on disk, as in an editor
    """
    files = [read_config_file(path) if text is None else parse_config_file(path, text)]
    seen = {os.path.realpath(path)}
    while EXTENDS in files[-1].table:
        last = files[-1]
        parent = _extended(last)
        if str(parent) in seen:
            raise last.wrong(f"extends: {parent} extends this file in turn", EXTENDS)
        seen.add(str(parent))
        files.append(read_config_file(parent))
        if parent.name == SHARED_FILE and not files[-1].table:
            raise last.wrong(f"extends: {parent} has no table tool.rooflint", EXTENDS)
    return files


def _extended(file: ConfigFile) -> Path:
    value = file.table[EXTENDS]
    if not isinstance(value, str) or "\0" in value or not value.endswith((".toml", "/", "..")):
        # no other file: a stranger's tree must not make messages quote it
        raise file.wrong(f"extends: expected a .toml file, got {value!r}", EXTENDS)
    parent = file.path.parent / value
    if parent.is_file():
        return Path(os.path.realpath(parent))
    if parent.is_dir():
        expected = f"expected a file such as {value.rstrip('/')}/rooflint.toml"
        raise file.wrong(f"extends: '{value}' is a folder, {expected}", EXTENDS)
    there = sorted(os.listdir(parent.parent)) if parent.parent.is_dir() else []
    missing = f"no file '{value}' relative to {file.path.parent}"
    raise file.wrong(f"extends: {missing}{near_miss(parent.name, there)}", EXTENDS)


def read_config_file(path: Path) -> ConfigFile:
    """One file; of a pyproject.toml only what is ours. Raises ConfigurationError."""
    try:
        text = read_bytes(path).decode("utf-8")
    except UnicodeDecodeError:
        raise ConfigurationError("not UTF-8 text", str(path)) from None
    return parse_config_file(path, text)


def parse_config_file(path: Path, text: str) -> ConfigFile:
    """A file with this text; of a pyproject.toml only what is ours. Raises ConfigurationError."""
    table = _toml(path, text)
    shared = path.name == SHARED_FILE
    if shared:
        tool = table.get("tool", {})
        table = tool.get("rooflint", {}) if isinstance(tool, dict) else {}
        if not isinstance(table, dict):
            raise ConfigurationError("tool.rooflint must be a table", str(path))
    lines: dict[tuple[str, ...], int] = {}
    for keys, number in settings_of(text.splitlines()):
        if shared and keys[:2] != SHARED_TABLE:
            continue
        ours = keys[2:] if shared else keys
        for end in range(1, len(ours) + 1):
            lines.setdefault(ours[:end], number)
    return ConfigFile(path=path, digest=digest_of(text.encode()), table=table, lines=lines)


def _toml(path: Path, text: str) -> Any:  # noqa: ANN401 - any part of a document
    import tomllib  # noqa: PLC0415 - 5 ms of start-up that only a project with a configuration pays

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        line = int(found[1]) if found else len(text.splitlines())  # at end of document
        raise ConfigurationError(f"not valid TOML: {error}", str(path), line) from None
    except (RecursionError, ValueError):
        why = "nested too deeply, or a number too long"
        raise ConfigurationError(f"not a configuration: {why}", str(path)) from None


def read_bytes(path: Path) -> bytes:
    """The content; raises ConfigurationError where there is none, or too much."""
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise ConfigurationError(f"cannot be read: {error.strerror}", str(path)) from None
    if len(content) > MAX_FILE_BYTES:
        raise ConfigurationError(f"larger than {MAX_FILE_BYTES} bytes, not read", str(path))
    return content


def settings_of(lines: list[str]) -> Iterator[tuple[tuple[str, ...], int]]:
    """The keys that are set or opened, and the lines; what stands in braces is not looked into."""
    table: tuple[str, ...] = ()
    for number, line in enumerate(lines, start=1):
        if (header := _HEADER.match(line)) is not None:
            table = _keys(header[1])
            yield table, number
        elif (setting := _SETTING.match(line)) is not None:
            yield (*table, *_keys(setting[1])), number


def _keys(dotted: str) -> tuple[str, ...]:
    return tuple([each.strip("\"'") for each in re.findall(_KEY, dotted)])
