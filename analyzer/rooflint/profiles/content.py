"""The bytes of a profile and its format, both within limits: profiles are untrusted input."""

import errno
import gzip
import zlib
from enum import Enum, auto
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Final, TypeAlias, TypeVar

import msgspec

from rooflint.profiles.problems import ProfileError, ProfileProblem

MOST_BYTES: Final = 128 << 20
"""Of a profile once unpacked. An export of nothing but regions of this size takes 3 s and 0.8 GiB;
Lua's has 2.4 MB, or 155 MB with its macros expanded, which nothing here reads."""
_GZIP: Final = b"\x1f\x8b"
_CALLGRIND: Final = b"# callgrind format"
_PERF_REPORT: Final = b"# Overhead"
_PERF_PLACES: Final = b"Source:Line"
HEAD_BYTES: Final = 64 << 10
"""``perf report --header`` writes some KiB about the machine before its table."""


Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
"""Of executions; a negative one is refused with its file."""
_Record = TypeVar("_Record")


class ProfileKind(Enum):
    """Formats that are read."""

    LLVM_COV = auto()
    GCOV = auto()
    PERF_REPORT = auto()
    PERF_SCRIPT = auto()
    CALLGRIND = auto()


class _JsonHead(msgspec.Struct):
    """The fields that tell one JSON format from another."""

    type: str = ""
    gcc_version: str = ""
    format_version: str = ""


def read_content(path: str) -> bytes:
    """The file's bytes, unpacked; ProfileError for a file that is too large or damaged."""
    try:
        if Path(path).exists() and not Path(path).is_file():  # a pipe never ends
            raise OSError(errno.EINVAL, "not a regular file")
        with Path(path).open("rb") as file:
            packed = file.read(len(_GZIP)) == _GZIP
            file.seek(0)
            content = (gzip.GzipFile(fileobj=file) if packed else file).read(MOST_BYTES + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ProfileError(path, ProfileProblem.BROKEN_PACKING) from error
    except (OSError, ValueError) as error:
        detail = error.strerror if isinstance(error, OSError) else str(error)
        raise ProfileError(path, ProfileProblem.UNREADABLE, detail or "") from error
    if len(content) > MOST_BYTES:
        raise ProfileError(path, ProfileProblem.TOO_LARGE, f"over {MOST_BYTES >> 20} MiB")
    return content


def kind_of(path: str, content: bytes) -> ProfileKind:
    """The format that the content shows; ProfileError for a file that is none of them."""
    start = content[:HEAD_BYTES].lstrip()
    if start.startswith(b"{"):
        return _json_kind(path, content)
    raw = _raw_problem(start)
    if raw is not None:
        raise ProfileError(path, raw)
    if start.startswith(_CALLGRIND) or b"\ncreator: callgrind" in start:
        return ProfileKind.CALLGRIND
    if _PERF_REPORT in start or _PERF_PLACES in start:
        return ProfileKind.PERF_REPORT
    if _is_perf_script(start):
        return ProfileKind.PERF_SCRIPT
    raise ProfileError(path, ProfileProblem.UNKNOWN_KIND)


def _json_kind(path: str, content: bytes) -> ProfileKind:
    head = decode_json(path, content, _JsonHead)
    if head.type == "llvm.coverage.json.export":
        return ProfileKind.LLVM_COV
    if head.gcc_version and head.format_version:
        return ProfileKind.GCOV
    raise ProfileError(path, ProfileProblem.UNKNOWN_KIND)


def decode_json(path: str, content: bytes, kind: type[_Record]) -> _Record:
    """JSON as typed records; ProfileError where it does not fit."""
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise ProfileError(path, ProfileProblem.BROKEN, str(error)) from error


def _raw_problem(start: bytes) -> ProfileProblem | None:
    """Binary files that hold a profile in a form without lines."""
    if start.startswith(b"PERFILE2"):
        return ProfileProblem.RAW_PERF
    # Both byte orders of .profraw (64 and 32 bits) and of .profdata, and of .gcda and .gcno.
    if start[1:6] in (b"lprof", b"rforp", b"Rforp") or start[2:7] in (b"forpl", b"prof\xff"):
        return ProfileProblem.RAW_LLVM
    if start[:4] in (b"adcg", b"gcda", b"oncg", b"gcno"):
        return ProfileProblem.RAW_GCOV
    return None


def _is_perf_script(start: bytes) -> bool:
    """Lines of an address and a symbol, each with ``file:line`` below it."""
    lines = [line for line in start.decode("latin-1").splitlines()[:64] if line[:1] != "#"]
    for line, below in pairwise(lines):
        words = line.split()
        if len(words) > 1 and is_address(words[0]) and below.startswith("  "):
            return True
    return False


def is_address(word: str) -> bool:
    """Whether perf writes an address like this: hexadecimal digits without a prefix."""
    return len(word) <= 16 and all(char in "0123456789abcdef" for char in word)
