"""Everything on which the results of a run rest before it analyses anything, told without loading
the code that does it.

Code counts by the sizes and times of its files, as Python's own compiled files do. Files of the run
are read once, whoever asks: a result and the key under which it is kept rest on the same bytes, so
that a file which changes between two readings cannot have the result of another content.
"""

import os
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from typing import Final, Protocol

import rooflint
from rooflint.compile_flags.flags import Flags
from rooflint.compile_flags.installed import builtin_headers, include_folders, library_path
from rooflint.compile_flags.regular_files import FileDigests
from rooflint.config.configured_flags import ConfiguredFlags, FlagOptions
from rooflint.config.settings import ConfigFinder
from rooflint.current_folder import current_folder
from rooflint.errors import RooflintError
from rooflint.incremental.disk_store import DiskStore, default_folder
from rooflint.incremental.store import ContentKey, content_key
from rooflint.machine.catalogue import builtin_dir
from rooflint.plugin_api.entry_points import entry_points
from rooflint.records import NamedTuple
from rooflint.workers.wire import Codec

OWN_PACKAGES: Final = ("rooflint", "rooflint_plugins")
SETTINGS: Final = (
    "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "SDKROOT", "ROOFLINT_LIBCLANG",
    "ROOFLINT_BUILTIN_HEADERS",
)  # fmt: skip
"""Variables of the environment that the front end or libclang reads."""


class FileState(NamedTuple):
    """A file's path, size, and time of its last change."""

    path: str
    size_bytes: int
    changed_ns: int


class Surroundings(NamedTuple):
    """Inputs of all results of a run: code, libclang, headers of the system, settings."""

    version: str
    python: str
    code: tuple[FileState, ...]
    libclang: FileState | None
    builtin_headers: str | None
    include_folders: tuple[str, ...]
    settings: tuple[str | None, ...]
    folder: str


SURROUNDINGS: Final = Codec[Surroundings](Surroundings)
FILES: Final = Codec[tuple[FileState, ...]](tuple[FileState, ...])


def surroundings_key() -> ContentKey:
    """The key of all that holds for every run here, plugins and machine files aside."""
    code = [file for package in OWN_PACKAGES for file in _code_of(package) or ()]
    surroundings = Surroundings(
        version=rooflint.__version__,
        python=sys.version,
        code=tuple(code),
        libclang=_libclang(),
        builtin_headers=builtin_headers(),
        include_folders=tuple(include_folders()),
        settings=tuple([os.environ.get(name) for name in SETTINGS]),
        folder=current_folder(),
    )
    return content_key(SURROUNDINGS.canonical(surroundings))


def plugin_code() -> tuple[FileState, ...] | None:
    """The packages of all plugins of other distributions; None where one is not in files."""
    packages = dict.fromkeys(
        target.partition(":")[0].partition(".")[0] for _, target in entry_points(sys.path)
    )
    found: list[FileState] = []
    for package in packages:
        code = _code_of(package)
        if code is None:
            return None
        found += code
    return tuple(found)


def builtin_machines() -> tuple[FileState, ...]:
    """The machine files of this program."""
    return tuple(sorted(_files_below(str(builtin_dir()))))


def _code_of(package: str) -> list[FileState] | None:
    """The files of a package or module, which is not imported; None where there are none."""
    spec = _spec(package)
    folders = None if spec is None else spec.submodule_search_locations
    if folders is not None:
        return [file for folder in folders for file in sorted(_files_below(folder))]
    if spec is None or not spec.has_location or spec.origin is None:
        return None
    return [_state(spec.origin)]


def _spec(package: str) -> ModuleSpec | None:
    """Where Python would find a package that lies in no other."""
    for finder in sys.meta_path:
        spec = finder.find_spec(package, None)
        if spec is not None:
            return spec
    return None


def _files_below(folder: str) -> Iterator[FileState]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name != "__pycache__":
                    yield from _files_below(entry.path)
            elif not entry.name.endswith((".md", ".typed")):
                status = entry.stat()
                yield FileState(entry.path, status.st_size, status.st_mtime_ns)


def _libclang() -> FileState | None:
    try:
        return _state(str(library_path()))
    except (OSError, RooflintError):  # the analysis of a file says so
        return None


def _state(path: str) -> FileState:
    status = os.stat(path)
    return FileState(path, status.st_size, status.st_mtime_ns)


class SourceOptions(FlagOptions, Protocol):
    """The part of a run's options that says what is read."""

    @property
    def isolated(self) -> bool:
        """Whether configuration files are not read."""

    @property
    def cache_dir(self) -> str | None:
        """Folder of results: empty keeps none, None is the usual one."""


class GivenSources(NamedTuple):
    """``SourceOptions`` of a run whose other options are not known yet."""

    build_dir: str | None
    flags: tuple[str, ...]
    isolated: bool = False
    cache_dir: str | None = None


class RunSources:
    """Configuration and contents of files, and the ``store`` of results; None where nothing is
    kept."""

    def __init__(self, options: SourceOptions) -> None:
        """Raises UsageError when the options name a folder without a database."""
        self.configs = ConfigFinder(options.isolated)
        self.digests = FileDigests()
        self.store: DiskStore | None = None
        if options.cache_dir != "":
            self.store = DiskStore(options.cache_dir or default_folder())
        self._flags = ConfiguredFlags(options, self.configs)
        self._found: dict[str, Flags] = {}

    def flags(self, path: str) -> Flags:
        """The flags of a file; RooflintError for a mistake in what says so."""
        flags = self._found.get(path)
        if flags is None:
            flags = self._found[path] = self._flags.flags(path)
        return flags
