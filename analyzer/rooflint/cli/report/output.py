"""Output of the commands that report predictions: reports, lines beside them, and their looks."""

import os
import sys
from collections.abc import Iterable

from rooflint.errors import UsageError
from rooflint.escaping import visible

DEFAULT_WIDTH = 100


def say(program: str, lines: Iterable[str]) -> None:
    """Lines on stderr, each with the program's name as compilers do."""
    for line in lines:
        sys.stderr.write(f"{program}: {visible(line)}\n")


def use_colour(wanted: bool | None, output: str | None) -> bool:
    """Colours on a terminal that has them, unless NO_COLOR is set; an option wins over all."""
    if wanted is not None:
        return wanted
    if output is not None or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return sys.stdout.isatty()


def width(output: str | None) -> int:
    """Columns of the terminal, or of COLUMNS; 100 where there is neither."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    if output is None and sys.stdout.isatty():
        try:
            return os.get_terminal_size(sys.stdout.fileno()).columns or DEFAULT_WIDTH
        except OSError:
            return DEFAULT_WIDTH
    return DEFAULT_WIDTH


def check_output(path: str | None) -> None:
    """Says before the run, not after it, that the report cannot be written."""
    if path is None and getattr(sys.stdout, "name", "") == os.devnull:
        raise UsageError("stdout is closed: write the report with -o FILE")
    if path == "":
        raise UsageError("-o: expected FILE after it")
    folder = os.path.dirname(path) if path else ""
    if folder and not os.path.isdir(folder):
        raise UsageError(f"-o {path}: there is no folder {folder}")
    if path and os.path.isdir(path):
        raise UsageError(f"-o {path}: is a folder, expected a file")


def write(text: str, path: str | None) -> None:
    """The report to a file or to stdout, as UTF-8 whatever the locale says."""
    content = text.encode("utf-8", "surrogateescape")
    if path is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    try:
        with open(path, "wb") as stream:
            stream.write(content)
    except OSError as error:
        raise UsageError(f"-o {path}: cannot be written: {error.strerror}") from None
