"""Formats of profiles, those that plugins add included: each file has one, told by its content."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Protocol

from rooflint.profiles.callgrind import read_callgrind
from rooflint.profiles.content import HEAD_BYTES, ProfileKind, kind_of, read_content
from rooflint.profiles.gcov import FunctionLines, read_gcov
from rooflint.profiles.llvm_cov import FunctionRegions, read_llvm_cov
from rooflint.profiles.perf import read_perf_report, read_perf_script
from rooflint.profiles.problems import ProfileError, ProfileProblem
from rooflint.profiles.samples import TimedLines
from rooflint.records import NamedTuple


class ProfileContent(NamedTuple):
    """The content of a file: counts of functions by region or by line, times by line, or both.

    ``unit`` names the unit of the times: those of two files add up where it is the same.
    """

    regions: tuple[FunctionRegions, ...] = ()
    lines: tuple[FunctionLines, ...] = ()
    time: TimedLines | None = None
    unit: str = ""

    @property
    def has_counts(self) -> bool:
        """Whether anything is counted."""
        return bool(self.regions or self.lines)


class ProfileFormat(Protocol):
    """A format of profiles that a plugin reads: of files that no built-in format takes."""

    @property
    def name(self) -> str:
        """Lower case, unique among all formats."""

    def recognises(self, start: bytes) -> bool:
        """Whether a file that begins with these bytes, at most 64 KiB, is of this format."""

    def read(self, path: str, content: bytes) -> ProfileContent:
        """The file's content; ValueError says in one line what is wrong with it."""


def read_profile(path: str, formats: Iterable[ProfileFormat] = ()) -> ProfileContent:
    """The content of a file; raises ProfileError."""
    content = read_content(path)
    try:
        kind = kind_of(path, content)
    except ProfileError as refusal:
        return _read_by_plugin(path, content, formats, refusal)
    return _READERS[kind](path, content)


def _read_by_plugin(
    path: str, content: bytes, formats: Iterable[ProfileFormat], refusal: ProfileError
) -> ProfileContent:
    for each in formats:
        try:
            if each.recognises(content[:HEAD_BYTES]):
                return each.read(path, content)._replace(unit=each.name)
        except ValueError as error:
            raise ProfileError(path, ProfileProblem.BROKEN, str(error)) from error
        except MemoryError:
            raise
        except Exception as error:
            detail = f"'{each.name}': {type(error).__name__}: {error}"
            raise ProfileError(path, ProfileProblem.FAILED_PLUGIN, detail) from error
    raise refusal


def _timed(
    read: Callable[[str, bytes], TimedLines], unit: ProfileKind
) -> Callable[[str, bytes], ProfileContent]:
    return lambda path, content: ProfileContent(time=read(path, content), unit=unit.name)


_READERS: Final[Mapping[ProfileKind, Callable[[str, bytes], ProfileContent]]] = {
    ProfileKind.LLVM_COV: lambda path, content: ProfileContent(
        regions=read_llvm_cov(path, content)
    ),
    ProfileKind.GCOV: lambda path, content: ProfileContent(lines=read_gcov(path, content)),
    ProfileKind.PERF_REPORT: _timed(read_perf_report, ProfileKind.PERF_REPORT),
    ProfileKind.PERF_SCRIPT: _timed(read_perf_script, ProfileKind.PERF_SCRIPT),
    ProfileKind.CALLGRIND: _timed(read_callgrind, ProfileKind.CALLGRIND),
}
