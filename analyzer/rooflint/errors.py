"""Errors meant for people; everything else that is raised is a bug.

RooflintError              what a user can act on; the command line prints it in one line
  - UsageError             a wrong argument, path, size or option            exit code 2
  - ConfigurationError     a wrong configuration or machine file             exit code 2
  - AnalysisError          one source file could not be analysed; the rest goes on
"""

from collections.abc import Iterable


class RooflintError(Exception):
    """Something a user can act on; its text is one line."""


class UsageError(RooflintError):
    """A wrong argument, path, size or option."""


class ConfigurationError(RooflintError):
    """A wrong configuration or machine file.

    ``problem`` is the text without the file and the line, which is 0 where none is known.
    """

    def __init__(self, problem: str, file: str = "", line: int = 0) -> None:
        place = f"{file}:{line}" if line else file
        super().__init__(f"{place}: {problem}" if place else problem)
        self.problem, self.file, self.line = problem, file, line


class AnalysisError(RooflintError):
    """One source file could not be analysed; the others are not concerned.

    ``problem`` is the text without the file's name.
    """

    def __init__(self, problem: str, path: str = "") -> None:
        super().__init__(f"{path}: {problem}" if path else problem)
        self.problem = problem


def near_miss(word: str, known: Iterable[str]) -> str:
    """``"; did you mean 'x'?"`` for the known word closest to ``word``, or the empty string."""
    import difflib  # noqa: PLC0415 - takes 6 ms, and only errors need it

    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean '{close[0]}'?" if close else ""
