"""Definitions of functions, looked for in the files of a compile database."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from rooflint.compile_flags.flags import Flags
from rooflint.compile_flags.regular_files import read_regular
from rooflint.errors import RooflintError
from rooflint.pipeline.signatures import signatures_of

MOST_PARSED: Final = 24
"""Files that are parsed for the functions of one program: 0.1 to 1 s each."""


class DefiningFile(Struct, frozen=True, kw_only=True):
    """A file that defines some of the functions asked for; ``flags`` of its own build."""

    path: str
    flags: Flags
    functions: frozenset[str]


class DefinitionFinder:
    """The functions of a project's files, read as far as they are asked for."""

    def __init__(self, paths: Sequence[str], flags_of: Callable[[str], Flags]) -> None:
        self._paths = paths
        self._flags_of = flags_of
        self._functions: dict[str, frozenset[str]] = {}

    def files(self, names: Iterable[str]) -> Iterator[DefiningFile]:
        """Files that define functions of these names, scopes aside: whether one compiles shows
        when it is tried."""
        wanted = frozenset(names)
        parsed = 0
        for path in self._paths:
            mentioned = self._mentioned(path, wanted)
            if not mentioned or parsed == MOST_PARSED:
                continue
            parsed += path not in self._functions
            defined = self._defined(path).intersection(mentioned)
            if defined:
                yield DefiningFile(path=path, flags=self._flags_of(path), functions=defined)

    def _mentioned(self, path: str, names: frozenset[str]) -> list[str]:
        """Names that the text contains at all: few files have to be parsed."""
        if not names:
            return []
        try:
            text = read_regular(path)
        except OSError:
            return []
        return [name for name in names if name.encode("utf-8", "surrogateescape") in text]

    def _defined(self, path: str) -> frozenset[str]:
        if path not in self._functions:
            self._functions[path] = _functions(path, self._flags_of)
        return self._functions[path]


def _functions(path: str, flags_of: Callable[[str], Flags]) -> frozenset[str]:
    """Names without scopes; none of a file that cannot be parsed."""
    try:
        file = signatures_of(path, flags_of(path))
    except RooflintError:
        return frozenset()
    return frozenset(each.name.rpartition("::")[2] for each in file.signatures)
