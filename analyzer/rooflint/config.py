"""Configuration: ``rooflint.toml`` nearest a source file, else pyproject.toml's tool.rooflint.

    machine = "cell"              # or a list; a path is relative to this file
    cores = "socket"              # 1, "socket", "node" or a number
    compiler = "gcc-12"           # whose code is predicted; else what the compile command names
    model = ["roofline"]          # or a string
    cache-dir = ".rooflint"       # below this file's folder; keeps results from run to run
    select = ["RL1", "RL201"]     # what 'rooflint lint' asks for: see docs/lint.md
    [sizes]
    N = 4096

The command line wins over the file. An unknown key is an error: a setting that is silently ignored
would make every number in the report rest on something nobody chose.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rooflint.core.compiler import is_compiler
from rooflint.errors import ConfigurationError, near_miss
from rooflint.lint_settings import KEYS as LINT_KEYS
from rooflint.lint_settings import Wishes, names_at, read_wishes

OWN_FILES = ("rooflint.toml", ".rooflint.toml")
SHARED_FILE = "pyproject.toml"
KEYS = ("machine", "cores", "compiler", "sizes", "model", "cache-dir", *LINT_KEYS)
MAX_FILE_BYTES = 1 << 20


class Config(NamedTuple):
    """What one configuration file sets; ``file`` is empty when there is none."""

    file: str = ""
    machines: tuple[str, ...] = ()
    cores: str | None = None
    compiler: str = ""
    models: tuple[str, ...] = ()
    sizes: Mapping[str, int] = {}
    cache_dir: str = ""
    lint: Wishes = Wishes()


NO_CONFIG = Config()


def parse_cores(text: str) -> str:
    """``socket``, ``node`` or a positive number, unchanged; ValueError says what is expected."""
    if text in ("socket", "node") or (text.isascii() and text.isdigit() and int(text) > 0):
        return text
    known = near_miss(text, ("socket", "node"))
    raise ValueError(f"cores: '{text}', expected 1, socket, node or a number above 0{known}")


class ConfigFinder:
    """Finds the configuration of a source file; reads each file and visits each folder once."""

    def __init__(self, isolated: bool = False) -> None:
        """``isolated``: there is none for any file."""
        self._isolated = isolated
        self._own: dict[Path, Path | None] = {}
        self._shared: dict[Path, Path | None] = {}
        self._loaded: dict[Path, Config] = {}

    def config_for(self, source: Path) -> Config:
        """The configuration that governs ``source``; raises ConfigurationError when it is wrong."""
        if self._isolated:
            return NO_CONFIG
        folder = source.absolute().parent
        path = _nearest(folder, OWN_FILES, self._own) or _nearest(
            folder, (SHARED_FILE,), self._shared
        )
        if path is None:
            return NO_CONFIG
        if path not in self._loaded:
            self._loaded[path] = load_config(path)
        return self._loaded[path]


def _nearest(folder: Path, names: tuple[str, ...], known: dict[Path, Path | None]) -> Path | None:
    visited: list[Path] = []
    found: Path | None = None
    for place in (folder, *folder.parents):
        if place in known:
            found = known[place]
            break
        visited.append(place)
        found = next((place / name for name in names if _applies(place / name)), None)
        if found is not None:
            break
    known.update((place, found) for place in visited)
    return found


def _applies(path: Path) -> bool:
    if not path.is_file():
        return False
    return path.name != SHARED_FILE or b"tool.rooflint" in _read(path)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from None
    if len(content) > MAX_FILE_BYTES:
        raise ConfigurationError(f"{path}: larger than {MAX_FILE_BYTES} bytes, not read")
    return content


def load_config(path: Path) -> Config:
    """The configuration in one file; raises ConfigurationError with ``file:line``."""
    import tomllib  # noqa: PLC0415 - 5 ms of start-up that only a project with a configuration pays

    try:
        text = _read(path).decode("utf-8")
    except UnicodeDecodeError:
        raise ConfigurationError(f"{path}: not UTF-8 text") from None
    try:
        table: Any = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        place = f"{path}:{line[1]}" if line else str(path)
        raise ConfigurationError(f"{place}: not valid TOML: {error}") from None
    except (RecursionError, ValueError):
        why = "nested too deeply, or a number too long"
        raise ConfigurationError(f"{path}: not a configuration: {why}") from None
    if path.name == SHARED_FILE:
        tool = table.get("tool", {})
        table = tool.get("rooflint") if isinstance(tool, dict) else None
        if table is None:
            return NO_CONFIG
        if not isinstance(table, dict):
            raise ConfigurationError(f"{path}: tool.rooflint must be a table")
    return _Reader(path, text).config(table)


class _Reader:
    """Turns the TOML table into a Config; knows the text so that errors can name a line."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.lines = text.splitlines()

    def config(self, table: Mapping[str, Any]) -> Config:
        for key in table:
            if key not in KEYS:
                expected = f"expected one of {', '.join(KEYS)}"
                raise self.wrong(key, f"unknown key '{key}', {expected}{near_miss(key, KEYS)}")
        cores = table.get("cores")
        return Config(
            file=str(self.path),
            machines=tuple(self.machine(name) for name in names_at(table, "machine", self.wrong)),
            cores=None if cores is None else self.cores(cores),
            compiler=self.compiler(table.get("compiler", "")),
            models=names_at(table, "model", self.wrong),
            sizes=self.sizes(table.get("sizes", {})),
            cache_dir=self.cache_dir(table.get("cache-dir", "")),
            lint=read_wishes(table, str(self.path.parent), self.wrong),
        )

    def machine(self, name: str) -> str:
        """A file beside the configuration is meant from there, not from where one runs."""
        beside = self.path.parent / name
        return str(beside) if beside.is_file() else name

    def cores(self, value: object) -> str:
        if isinstance(value, (int, str)) and not isinstance(value, bool):
            try:
                return parse_cores(str(value))
            except ValueError as error:
                raise self.wrong("cores", str(error)) from None
        raise self.wrong("cores", f"cores: expected 1, socket, node or a number, got {value!r}")

    def compiler(self, value: object) -> str:
        """A name alone: a stranger's tree must not choose a program of its own."""
        if value != "" and not (isinstance(value, str) and is_compiler(value)):
            raise self.wrong(
                "compiler", f"compiler: {value!r}, expected the name of a clang or gcc"
            )
        return str(value)

    def sizes(self, value: object) -> dict[str, int]:
        if not isinstance(value, dict):
            raise self.wrong("sizes", f"sizes: expected a table of NAME = number, got {value!r}")
        sizes: dict[str, int] = {}
        for name, size in value.items():
            whole = isinstance(size, float) and size.is_integer()
            if isinstance(size, bool) or not (whole or isinstance(size, int)):
                raise self.wrong(name, f"sizes: {name}: expected a whole number, got {size!r}")
            sizes[name] = int(size)
        return sizes

    def cache_dir(self, value: object) -> str:
        """A stranger's tree must not make us write outside of it, nor bring what we believe."""
        home = self.path.parent.resolve()
        if not isinstance(value, str) or "\0" in value:
            raise self.wrong("cache-dir", f"cache-dir: expected a folder, got {value!r}")
        if not value:
            return ""
        folder = (home / value).resolve()
        if home not in folder.parents:
            raise self.wrong(
                "cache-dir",
                f"cache-dir: '{value}' is not below this file's folder;"
                " for any other, set ROOFLINT_CACHE_DIR",
            )
        return str(folder)

    def wrong(self, key: str, message: str) -> ConfigurationError:
        line = self.line_of(key)
        return ConfigurationError(f"{self.path}{f':{line}' if line else ''}: {message}")

    def line_of(self, key: str) -> int | None:
        """The line that sets ``key``: in pyproject.toml the first one after our own header."""
        ours = self.path.name != SHARED_FILE
        setting = re.compile(rf"""(?:.*[\s{{,.])?["']?{re.escape(key)}["']?\s*(=|\.)""")
        header = re.compile(rf"""\[.*["']?{re.escape(key)}["']?\s*\]""")
        for number, line in enumerate(self.lines, start=1):
            text = line.strip()
            ours = ours or "tool.rooflint" in text
            if ours and not text.startswith("#") and (setting.match(text) or header.match(text)):
                return number
        return None
