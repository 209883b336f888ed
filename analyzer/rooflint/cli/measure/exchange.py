"""``rooflint measure --export FILE`` and ``--import FILE``: measurements as JSON lines, for teams.

A file holds paths below the current folder, relative to it, and nothing of the computer but its
processor and its compiler's version. A file of others is data: it is read whole, or not at all.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from rooflint.cli.exit_codes import ExitCode
from rooflint.core.external.tools import locate, version_of
from rooflint.errors import UsageError
from rooflint.incremental.measurements import (
    MAX_LINE_BYTES,
    OUTDATED,
    CompilerFile,
    MeasurementStore,
    StoredMeasurement,
    compiler_file,
    is_outdated,
)

MAX_FILE_BYTES: Final = 64 << 20
"""About 90,000 measurements."""
COMPILERS: Final = ("cc", "c++", "gcc", "g++", "clang", "clang++")
"""Whose versions are compared with those of a file; a name in the file never starts a program."""


def export_measurements(path: str) -> ExitCode:
    """Writes the measurements of files below the current folder."""
    store = MeasurementStore()
    lines = [msgspec.json.encode(each) + b"\n" for each in _portable(store, os.getcwd())]
    try:
        with open(path, "wb") as file:
            file.writelines(lines)
    except OSError as error:
        raise UsageError(f"--export {path}: cannot be written: {error.strerror}") from None
    print(f"{count_text(len(lines))} of files below {os.getcwd()} written to {path}")
    return ExitCode.FINE


def import_measurements(path: str) -> ExitCode:
    """Adds the measurements of a file to the user's; its paths are below the current folder."""
    compilers = _installed()
    folder = os.path.realpath(os.getcwd())
    measurements = [
        replace(
            each,
            identity=replace(each.identity, path=os.path.join(folder, each.identity.path)),
            compiler_file=compilers.get(each.identity.compiler),
        )
        for each in _read(path)
    ]
    store = MeasurementStore()
    store.add(measurements)
    if store.problem:
        raise UsageError(f"--import {path}: {store.problem}")
    print(f"{count_text(len(measurements))} read from {path}")
    return ExitCode.FINE


def count_text(count: int) -> str:
    """``1 measurement``, ``12 measurements``."""
    return f"{count} measurement{'' if count == 1 else 's'}"


def _portable(store: MeasurementStore, folder: str) -> Iterator[StoredMeasurement]:
    root = os.path.join(os.path.realpath(folder), "")
    for each in store.all():
        identity = each.identity
        if identity.path.startswith(root):
            path = identity.path.removeprefix(root).replace(os.sep, "/")
            yield replace(each, identity=replace(identity, path=path), compiler_file=None)


def _installed() -> dict[str, CompilerFile]:
    """The programs of the usual compilers by their version line."""
    found: dict[str, CompilerFile] = {}
    for name in COMPILERS:
        place = locate(name)
        program = compiler_file(place) if place is not None else None
        if place is not None and program is not None:
            found.setdefault(version_of(place), program)
    return found


def _read(path: str) -> list[StoredMeasurement]:
    decoder = msgspec.json.Decoder(StoredMeasurement)
    return [_checked(line, f"{path}:{place}", decoder) for place, line in _lines(path)]


def _lines(path: str) -> Iterator[tuple[int, bytes]]:
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise UsageError(f"--import {path}: is no file")
            content = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise UsageError(f"--import {path}: cannot be read: {error.strerror}") from None
    if len(content) > MAX_FILE_BYTES:
        raise UsageError(f"--import {path}: more than {MAX_FILE_BYTES >> 20} MiB")
    for place, line in enumerate(content.split(b"\n"), start=1):
        if line.strip():
            yield place, line


def _without_waiting(path: str, flags: int) -> int:
    """A pipe without a writer must not be waited for."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _checked(
    line: bytes, place: str, decoder: "msgspec.json.Decoder[StoredMeasurement]"
) -> StoredMeasurement:
    """One measurement of a file; UsageError for what is none."""
    if len(line) > MAX_LINE_BYTES:
        raise UsageError(f"{place}: more than {MAX_LINE_BYTES >> 10} KiB in a line")
    try:
        measurement = decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        if is_outdated(line):
            raise UsageError(f"{place}: {OUTDATED}") from None
        raise UsageError(f"{place}: {error or 'nested too deeply'}") from None
    if not _is_below(measurement.identity.path.split("/")):
        raise UsageError(f"{place}: path: expected one below the current folder")
    return measurement


def _is_below(parts: Sequence[str]) -> bool:
    forbidden = ("", ".", "..")
    return all(
        part not in forbidden and part.isprintable() and os.sep not in part and ":" not in part
        for part in parts
    )
