"""Configuration: ``rooflint.toml`` nearest a source file, else pyproject.toml's tool.rooflint.

    extends = "../rooflint.toml"  # whose values hold where this file says nothing
    machine = "cell"              # or a list; a path is relative to this file
    cores = "socket"              # 1, "socket", "node" or a number
    compile-commands = "build"    # a compile_commands.json or its folder; else the nearest one
    compiler = "gcc-12"           # whose code is predicted; else what the compile command names
    model = ["roofline"]          # or a string
    entry = "cold"                # caches when a function is called: "steady" or "cold"
    select = ["RL1", "RL201"]     # what 'rooflint lint' asks for: see docs/lint.md
    counts = ["cov.json"]         # of a run: llvm-cov's or gcov's JSON; relative to this file
    profile = ["perf.txt"]        # where its time went: perf's text or callgrind.out
    [sizes]
    N = 4096
    "gemm:n" = 512                # of one function or type
    [scenario.s30]                # sizes of a run, which --scenario s30 puts before [sizes]
    nx = 30
    [flags]
    default = ["-O3"]             # of files that no compile_commands.json has

The command line wins over the file. An unknown key is an error: a setting that is silently ignored
would make every number in the report rest on something nobody chose.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from rooflint.compile_flags.regular_files import digest_of
from rooflint.config.file import EXTENDS, SHARED_FILE, ConfigFile, config_files, read_bytes
from rooflint.config.lint_settings import LintOverrides
from rooflint.config.lint_table import KEYS as LINT_KEYS
from rooflint.config.lint_table import names_at, read_wishes
from rooflint.config.user import user_config_path
from rooflint.errors import ConfigurationError, near_miss
from rooflint.records import NamedTuple
from rooflint.scenario import ENTRY_NAMES, EntryName
from rooflint.scenario.sizes import split_scope

OWN_FILES = ("rooflint.toml", ".rooflint.toml")
KEYS = (
    "machine", "cores", "compiler", "sizes", "scenario", "model", "entry", *LINT_KEYS,
    "compile-commands", "flags", "counts", "profile", EXTENDS,
)  # fmt: skip
CACHE_KEY = "cache-dir"
MEASURE_KEY = "measure"
"""A table of the user's own configuration (``config.user``): it lets code of a tree run."""


class ConfigLine(NamedTuple):
    """Where a value is set; line 0: not known."""

    file: str
    line: int


class Config(NamedTuple):
    """The settings of a configuration file and those it extends; ``file``: empty if there is none.

    digest        of all that these files say, and of what is there of what they name
    database      a compile_commands.json or its folder, which may not be there
    counts        files with counts of a run, and ``profiles`` with its times; they may not be there
    scenarios     sizes of each by its name, which hold before ``sizes``
    flags         of files without an entry there; their paths are seen from ``flags_folder``
    lines         of each value, in whichever file sets it, by the keys that lead to it
    """

    file: str = ""
    digest: str = ""
    machines: tuple[str, ...] = ()
    cores: str | None = None
    compiler: str = ""
    models: tuple[str, ...] = ()
    entry: EntryName | None = None
    sizes: Mapping[str, int] = {}
    scenarios: Mapping[str, Mapping[str, int]] = {}
    database: str = ""
    flags: tuple[str, ...] = ()
    flags_folder: str = ""
    counts: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    lint: LintOverrides = LintOverrides()
    lines: Mapping[tuple[str, ...], ConfigLine] = {}

    def place(self, *keys: str) -> str:
        """Where a value is set; the file where that is not known."""
        file, line = self.lines.get(keys, ConfigLine(self.file, 0))
        return f"{file}:{line}" if line else file

    def wrong(self, message: str, *keys: str) -> ConfigurationError:
        """An error in the value that ``keys`` lead to."""
        file, line = self.lines.get(keys, ConfigLine(self.file, 0))
        return ConfigurationError(message, file, line)

    def sizes_in(self, scenario: str) -> Mapping[str, int]:
        """The sizes in a scenario; empty: in none. ConfigurationError where there is none such."""
        if not scenario:
            return self.sizes
        if scenario not in self.scenarios:
            raise ConfigurationError(f"scenario '{scenario}': {self._known_scenarios(scenario)}")
        own = self.scenarios[scenario]
        # a scenario's n is that of all functions, as on the command line
        rest = {name: size for name, size in self.sizes.items() if split_scope(name)[1] not in own}
        return {**rest, **own}

    def _known_scenarios(self, wanted: str) -> str:
        if not self.file:
            return (
                f"no configuration file was read; [scenario.{wanted}] in a {OWN_FILES[0]} sets one"
            )
        if not self.scenarios:
            return f"{self.file} has no [scenario.{wanted}], nor any other"
        names = sorted(self.scenarios)
        known = ", ".join(f"{name} ({self.place('scenario', name)})" for name in names)
        return f"{self.file} has {known}{near_miss(wanted, names)}"


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
    for place in chain((folder,), folder.parents):
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
    return path.name != SHARED_FILE or b"tool.rooflint" in read_bytes(path)


def load_config(path: Path, text: str | None = None) -> Config:
    """The configuration in a file and those it extends; ConfigurationError with ``file:line``.

    text  of the file where it is not the one on disk, as in an editor
    """
    config = NO_CONFIG
    for file in reversed(config_files(path, text)):
        config = _ConfigReader(file, config).config()
    return config


class _ConfigReader:
    """Reads a file's settings, which override those of the files that it extends."""

    def __init__(self, file: ConfigFile, base: Config) -> None:
        self.file = file
        self.table = file.table
        self.base = base
        self.wrong = file.wrong

    def config(self) -> Config:
        for key in self.table:
            if key == CACHE_KEY:
                who = "a configuration file cannot set the cache folder: use ROOFLINT_CACHE_DIR"
                raise self.wrong(f"{CACHE_KEY}: {who}", key)
            if key == MEASURE_KEY:
                who = "a project cannot allow its own code to run: that is for the user's file"
                raise self.wrong(f"{MEASURE_KEY}: {who} {user_config_path()}", key)
            if key not in KEYS:
                expected = f"expected one of {', '.join(KEYS)}"
                raise self.wrong(f"unknown key '{key}', {expected}{near_miss(key, KEYS)}", key)
        readers: dict[str, tuple[str, Callable[[], Any]]] = {
            "machine": ("machines", self.machines),
            "cores": ("cores", self.cores),
            "compiler": ("compiler", self.compiler),
            "model": ("models", lambda: names_at(self.table, "model", self.wrong)),
            "entry": ("entry", self.entry),
            "sizes": ("sizes", lambda: self.sizes(self.table["sizes"], self.base.sizes, "sizes")),
            "scenario": ("scenarios", self.scenarios),
            "compile-commands": ("database", self.database),
            "flags": ("flags", self.flags),
            "counts": ("counts", lambda: self.files("counts")),
            "profile": ("profiles", lambda: self.files("profile")),
        }
        said = {field: read() for key, (field, read) in readers.items() if key in self.table}
        home = str(self.file.path.parent)
        if "flags" in said:
            said["flags_folder"] = home
        parts = (self.base.digest, str(self.file.path), self.file.digest, *said.get("machines", ()))
        return self.base._replace(
            **said,
            file=str(self.file.path),
            digest=digest_of("\0".join(parts).encode("utf-8", "surrogateescape")),
            lint=read_wishes(self.table, home, self.wrong, self.base.lint),
            lines={**self.base.lines, **self.lines()},
        )

    def lines(self) -> dict[tuple[str, ...], ConfigLine]:
        path = str(self.file.path)
        return {keys: ConfigLine(path, self.file.line(*keys)) for keys in _paths_of(self.table)}

    def machines(self) -> tuple[str, ...]:
        names = names_at(self.table, "machine", self.wrong)
        beside = [self.file.path.parent / name for name in names]
        return tuple(
            [str(p) if p.is_file() else name for name, p in zip(names, beside, strict=True)]
        )

    def cores(self) -> str:
        value = self.table["cores"]
        if isinstance(value, (int, str)) and not isinstance(value, bool):
            try:
                return parse_cores(str(value))
            except ValueError as error:
                raise self.wrong(str(error), "cores") from None
        raise self.wrong(f"cores: expected 1, socket, node or a number, got {value!r}", "cores")

    def compiler(self) -> str:
        """A name alone: a stranger's tree must not choose a program of its own."""
        from rooflint.core.compiler import is_compiler  # noqa: PLC0415 - few set one

        value = self.table["compiler"]
        if value != "" and not (isinstance(value, str) and is_compiler(value)):
            expected = "expected the name of a clang or gcc"
            raise self.wrong(f"compiler: {value!r}, {expected}", "compiler")
        return str(value)

    def entry(self) -> EntryName:
        value = self.table["entry"]
        for name in ENTRY_NAMES:
            if value == name:
                return name
        near = near_miss(str(value), ENTRY_NAMES)
        raise self.wrong(f"entry: {value!r}, expected {' or '.join(ENTRY_NAMES)}{near}", "entry")

    def scenarios(self) -> dict[str, dict[str, int]]:
        table = self.table["scenario"]
        if not isinstance(table, dict):
            expected = "expected tables such as [scenario.s30] with NAME = number"
            raise self.wrong(f"scenario: {expected}, got {table!r}", "scenario")
        scenarios = {name: dict(sizes) for name, sizes in self.base.scenarios.items()}
        for name, sizes in table.items():
            scenarios[name] = self.sizes(sizes, scenarios.get(name, {}), "scenario", name)
        return scenarios

    def sizes(self, table: object, base: Mapping[str, int], *keys: str) -> dict[str, int]:
        """Those of the table that ``keys`` lead to, which override the ones of ``base``."""
        where = ".".join(keys)
        if not isinstance(table, dict):
            raise self.wrong(f"{where}: expected a table of NAME = number, got {table!r}", *keys)
        sizes = dict(base)
        for name, size in table.items():
            whole = isinstance(size, float) and size.is_integer()
            if isinstance(size, bool) or not (whole or isinstance(size, int)):
                expected = f"expected a whole number, got {size!r}"
                raise self.wrong(f"{where}: {name}: {expected}", *keys, name)
            sizes[name] = int(size)
        return sizes

    def database(self) -> str:
        value = self.table["compile-commands"]
        if not isinstance(value, str) or not value or "\0" in value:
            expected = "expected a compile_commands.json or its folder"
            raise self.wrong(f"compile-commands: {expected}, got {value!r}", "compile-commands")
        return os.path.normpath(self.file.path.parent / value)

    def files(self, key: str) -> tuple[str, ...]:
        names = names_at(self.table, key, self.wrong)
        if any("\0" in name for name in names):
            raise self.wrong(f"{key}: expected names of files, got {self.table[key]!r}", key)
        return tuple([os.path.normpath(self.file.path.parent / name) for name in names])

    def flags(self) -> tuple[str, ...]:
        value = self.table["flags"]
        if not isinstance(value, dict) or set(value) != {"default"}:
            raise self.wrong("flags: expected a table with default = [...]", "flags")
        words = value["default"]
        if not isinstance(words, list) or not all(isinstance(w, str) and w for w in words):
            expected = f'expected a list of flags such as ["-O3"], got {words!r}'
            raise self.wrong(f"flags: default: {expected}", "flags", "default")
        return tuple(words)


def _paths_of(table: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """The keys that lead to each value and table."""
    for key, value in table.items():
        yield (key,)
        if isinstance(value, dict):
            for inner in _paths_of(value):
                yield key, *inner
