"""``callgrind.out``: instructions by line, without those of callees, which it states again."""

from collections import Counter
from typing import Final

from rooflint.profiles.problems import ProfileError, ProfileProblem
from rooflint.profiles.samples import SourceLine, TimedLines, Weights
from rooflint.profiles.source_paths import normal_path

_FILES: Final = ("fl", "fi", "fe")
"""File of a function, and of text inlined into it; ``fe`` returns to the former."""
_CALLED_FILES: Final = ("cfi", "cfl")
"""They may be where a file's short number is defined."""
_UNKNOWN: Final = "???"


class _Reader:
    """State of one pass: names by number, the file and line that the next cost is of."""

    def __init__(self) -> None:
        self.weights: Weights = Counter()
        self._names: dict[str, str] = {}
        self._file = _UNKNOWN
        self._positions = [0]
        self._line_position = 0
        self._after_call = False

    def read(self, line: str) -> None:
        """One line; ValueError or IndexError where it breaks the format."""
        if line[:1] in "0123456789+-*" and line:
            self._cost(line.split())
            return
        field, equals, value = line.partition("=")
        if equals and field in _FILES:
            self._file = self._name(value)
        elif equals and field in _CALLED_FILES:
            self._name(value)
        elif equals and field == "calls":
            self._after_call = True
        elif line.startswith("positions:"):
            names = line.split()[1:]
            self._line_position = names.index("line")
            self._positions = [0] * len(names)

    def _name(self, value: str) -> str:
        """``(7) name`` defines a number, ``(7)`` uses it, anything else is a name."""
        if not value.startswith("("):
            return value
        number, _, name = value.partition(")")
        if name.strip():
            self._names[number] = name.strip()
        return self._names.get(number, _UNKNOWN)

    def _cost(self, words: list[str]) -> None:
        width = len(self._positions)
        self._positions = [
            _position(word, last) for word, last in zip(words[:width], self._positions, strict=True)
        ]
        inclusive, self._after_call = self._after_call, False
        if inclusive or len(words) == width:
            return
        cost = int(words[width])
        if cost < 0:
            raise ValueError("negative cost")
        line = self._positions[self._line_position]
        has_place = line > 0 and self._file != _UNKNOWN
        place = SourceLine(normal_path(self._file), line) if has_place else SourceLine("", 0)
        self.weights[(place,)] += cost


def read_callgrind(path: str, content: bytes) -> TimedLines:
    """The first event by line, as a rule instructions."""
    reader = _Reader()
    for number, line in enumerate(content.decode("utf-8", "surrogateescape").split("\n"), 1):
        try:
            reader.read(line)
        except ValueError as error:
            raise ProfileError(path, ProfileProblem.BROKEN, f"line {number}") from error
    return TimedLines(reader.weights)


def _position(word: str, last: int) -> int:
    """Absolute, hexadecimal, or relative to the one before."""
    if word == "*":
        return last
    if word[0] in "+-":
        return last + int(word)
    return int(word, 16) if word.startswith("0x") else int(word)
