"""Measurements of loops, kept for the user: an entry a function, by the place it stands in.

They outlive versions of this program and are no results of it, so they have a schema of their own
and a folder beside the cached results; no limit of the cache removes them. Those of an older schema
are dropped when they are read: its figures were measured otherwise.
"""

import contextlib
import os
from collections.abc import Iterable, Iterator
from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct

from rooflint.incremental.disk_store import DiskStore, Usage, measurements_folder
from rooflint.incremental.store import ContentKey, content_key

KIND: Final = "measured"
MOST_OF_FUNCTION: Final = 200
"""Ten sweeps of 20 sizes; the youngest stay. They fit into an entry with MAX_LINE_BYTES each."""
MAX_LINE_BYTES: Final = 16 << 10
"""Of a measurement as JSON; a usual one takes 700."""

Word: TypeAlias = Annotated[str, Meta(max_length=4096)]
Words: TypeAlias = Annotated[tuple[Word, ...], Meta(max_length=1000)]
Digest: TypeAlias = Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
Cycles: TypeAlias = Annotated[float, Meta(gt=0, le=1e18)]
Size: TypeAlias = Annotated[int, Meta(ge=-(1 << 53), le=1 << 53)]
Count: TypeAlias = Annotated[int, Meta(ge=0, le=1 << 53)]


class StoredPrediction(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A model at the point of the measurement, with the data in the same level."""

    model: Word
    cycles_per_iteration: Cycles


class CompilerFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The compiler's program as it was: another version has another size or time."""

    path: Word
    bytes: Count
    modified_ns: Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]


class MeasurementIdentity(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that a measurement rests on; an equal one replaces it.

    path, function  where it stands: an absolute path; relative in a file for others
    nest      lines from the function's first one to the nest; None: the whole function
    content   of the source, as ``Signature.content`` has it
    flags     digest of the compile command's flags, folders of headers aside
    compiler  version line; ``cpu`` and ``machine``: the computer, and the file of the models
    sizes     of the analysis and of the program, macros included
    setup     digest of the file that made the data up; empty: the default values
    """

    path: Word
    function: Word
    nest: Count | None
    content: Digest
    flags: Digest
    compiler: Word
    cpu: Word
    machine: Word
    sizes: Annotated[dict[Word, Size], Meta(max_length=1000)]
    state: Literal["warm", "cold"]
    cores: Annotated[int, Meta(ge=1, le=1 << 20)]
    setup: Annotated[str, Meta(pattern="^([0-9a-f]{32})?$")] = ""


class StoredMeasurement(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A stable figure; ``level`` held the data.

    shown_flags    of the program, for people
    compiler_file  None where it was measured elsewhere and no such compiler is installed
    taken          seconds since 1970
    """

    identity: MeasurementIdentity
    level: Word
    cycles_per_iteration: Cycles
    cycles_per_call: Cycles
    predictions: Annotated[tuple[StoredPrediction, ...], Meta(max_length=100)]
    shown_flags: Words
    taken: Count
    compiler_file: CompilerFile | None = None
    schema_version: Literal[2] = 2


SCHEMA_VERSION: Final = 2
"""In the first, a nest inside a loop had the cycles of all its passes as those of one."""
OUTDATED: Final = "of an older version, whose figures of nests in loops were wrong: measure again"


class _Entry(Struct, frozen=True):
    measurements: tuple[StoredMeasurement, ...]


class _Version(Struct, frozen=True):
    schema_version: int


class _VersionedEntry(Struct, frozen=True):
    measurements: tuple[_Version, ...]


def is_outdated(line: bytes) -> bool:
    """Whether a measurement as JSON is of an older schema."""
    try:
        return msgspec.json.decode(line, type=_Version).schema_version < SCHEMA_VERSION
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def _outdated(content: bytes) -> int:
    """Measurements of an entry of an older schema."""
    try:
        entry = msgspec.json.decode(content, type=_VersionedEntry)
    except msgspec.DecodeError:
        return 0
    return sum(each.schema_version < SCHEMA_VERSION for each in entry.measurements)


def compiler_file(path: str) -> CompilerFile | None:
    """The program at ``path`` as it is; None where there is none."""
    try:
        path = os.path.realpath(path)
        status = os.stat(path)
    except OSError:
        return None
    return CompilerFile(path=path, bytes=status.st_size, modified_ns=status.st_mtime_ns)


class MeasurementStore:
    """The measurements of the user; sealed like cached results."""

    def __init__(self, folder: str | None = None) -> None:
        self.folder = measurements_folder() if folder is None else folder
        self._entries = DiskStore(self.folder)
        self._dropped = 0

    @property
    def problem(self) -> str:
        """The first problem, for one line of warning; empty if there was none."""
        if self._entries.problem or not self._dropped:
            return self._entries.problem
        noun = "measurement" if self._dropped == 1 else "measurements"
        return f"dropped {self._dropped} {noun} {OUTDATED}"

    def of_function(self, path: str, function: str) -> tuple[StoredMeasurement, ...]:
        """The measurements of a function, the youngest first."""
        return self._entry(_key(os.path.realpath(path), function))

    def add(self, measurements: Iterable[StoredMeasurement]) -> None:
        """Keeps measurements, each in place of an older one of the same identity."""
        by_function: dict[tuple[str, str], list[StoredMeasurement]] = {}
        for each in measurements:
            place = os.path.realpath(each.identity.path), each.identity.function
            by_function.setdefault(place, []).append(each)
        if by_function:
            self._make_folder()
        for (path, function), added in by_function.items():
            key = _key(path, function)
            merged = _merged((*added, *self._entry(key)))
            self._entries.put(key, msgspec.json.encode(_Entry(merged)))

    def all(self) -> Iterator[StoredMeasurement]:
        """Every measurement, by file and function."""
        entries = [entry for key in self._entries.keys() if (entry := self._entry(key))]  # noqa: SIM118
        for entry in sorted(entries, key=_place_of_entry):
            yield from entry

    def usage(self) -> Usage:
        """Number of measurements, and their size."""
        return Usage(sum(1 for _ in self.all()), self._entries.usage().bytes)

    def clear(self) -> Usage:
        """Removes all measurements and returns their number and size."""
        usage = self.usage()
        self._entries.clear()
        with contextlib.suppress(OSError):
            for shard in os.listdir(self.folder):
                os.rmdir(os.path.join(self.folder, shard))
            os.rmdir(self.folder)
        return usage

    def _entry(self, key: ContentKey) -> tuple[StoredMeasurement, ...]:
        content = self._entries.get(key)
        try:
            return msgspec.json.decode(content, type=_Entry).measurements if content else ()
        except msgspec.DecodeError:  # of another version of this program
            outdated = _outdated(content or b"")
            if outdated:
                self._entries.remove(key)
                self._dropped += outdated
            return ()

    def _make_folder(self) -> None:
        """The folder around it belongs to cached results: both are the user's alone."""
        for folder in (os.path.dirname(self.folder), self.folder):
            with contextlib.suppress(OSError):
                os.makedirs(folder, mode=0o700, exist_ok=True)


def _key(path: str, function: str) -> ContentKey:
    return content_key(KIND, path.encode("utf-8", "surrogateescape"), function)


def _merged(measurements: Iterable[StoredMeasurement]) -> tuple[StoredMeasurement, ...]:
    youngest: dict[bytes, StoredMeasurement] = {}
    for each in sorted(measurements, key=_age):
        youngest.setdefault(msgspec.json.encode(each.identity, order="deterministic"), each)
    return tuple(youngest.values())[:MOST_OF_FUNCTION]


def _age(measurement: StoredMeasurement) -> int:
    return -measurement.taken


def _place_of_entry(entry: tuple[StoredMeasurement, ...]) -> tuple[str, str]:
    return entry[0].identity.path, entry[0].identity.function
