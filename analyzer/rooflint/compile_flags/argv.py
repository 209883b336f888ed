"""A compiler's command line as plain tokens: driver split off, response files opened."""

import os
import shlex
from collections.abc import Iterator, Sequence
from typing import Final

from rooflint.records import NamedTuple

WRAPPERS: Final = frozenset(("ccache", "sccache", "distcc", "icecc", "env", "time", "nice"))
MSVC_DRIVERS: Final = frozenset(("cl", "clang-cl", "icl"))
MAX_RESPONSE_BYTES: Final = 1 << 20
MAX_RESPONSE_DEPTH: Final = 8
MAX_TOKENS: Final = 20_000


class Command(NamedTuple):
    """``driver`` is the compiler's file name without directory and ``.exe``, or empty."""

    driver: str
    tokens: tuple[str, ...]


class Expansion(NamedTuple):
    """``notes`` say which response files were left out, and why."""

    tokens: tuple[str, ...]
    notes: tuple[str, ...]


def split_driver(argv: Sequence[str]) -> Command:
    """The compiler and its arguments; ``ccache gcc -c`` and ``env A=1 gcc -c`` are gcc's."""
    driver = ""
    for position, token in enumerate(argv):
        if token.startswith("-"):
            return Command(driver, tuple(argv[position:]))
        name = token.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".exe")
        if name in WRAPPERS or ("=" in token and not driver):
            continue
        if driver:
            return Command(driver, tuple(argv[position:]))
        driver = name
    return Command(driver, ())


def split_command(command: str) -> list[str]:
    """A command string as a POSIX shell splits it; an unclosed quote ends at the string's end."""
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def expand(tokens: Sequence[str], directory: str, roots: Sequence[str]) -> Expansion:
    """Open ``@file`` inside ``roots``, ``-Wp,a,b``, ``-Xpreprocessor a`` and ``-Xcompiler=a,b``.

    Whatever comes out still has to pass the allow-list. A response file outside the roots, one that
    is larger than 1 MiB or nested deeper than 8 is not read.
    """
    notes: list[str] = []
    allowed = [os.path.realpath(root) for root in roots]
    opened: list[str] = []
    for token in _tokens(tokens, directory, allowed, notes, 0):
        opened.append(token)
        if len(opened) >= MAX_TOKENS:
            notes.append(f"compiler flags after the first {MAX_TOKENS} not read")
            break
    return Expansion(tuple(opened), tuple(notes))


def _tokens(
    tokens: Sequence[str], directory: str, roots: list[str], notes: list[str], depth: int
) -> Iterator[str]:
    rest = [token for token in reversed(tokens) if "\0" not in token]
    while rest:
        token = rest.pop()
        if token.startswith("@") and len(token) > 1:
            inner = _response_file(token, directory, roots, notes, depth)
            yield from _tokens(inner, directory, roots, notes, depth + 1)
        else:
            yield from _passed_on(token, rest)


def _passed_on(token: str, rest: list[str]) -> list[str]:
    """The options that a driver's option passes on to a stage of the compiler, else itself.

    ``rest`` is reversed: the next token is its last.
    """
    if token.startswith("-Wp,"):
        return token.split(",")[1:]
    if token in {"-Xpreprocessor", "-Xcompiler", "--compiler-options"}:
        return (rest.pop() if rest else "").split(",")
    if token.startswith(("-Xcompiler=", "--compiler-options=")):
        return token.partition("=")[2].split(",")
    return _for_clang(rest) if token == "-Xclang" else [token]


def _for_clang(rest: list[str]) -> list[str]:
    """The two uses of ``-Xclang`` that build tools need are opened, the rest stays to be dropped.

    Apple's compiler takes OpenMP only this way, and CMake forces its includes so.
    """
    if rest and rest[-1] == "-fopenmp":
        return [rest.pop()]
    if rest[-2:] == ["-Xclang", "-include"] and len(rest) > 2:
        del rest[-2:]
        return ["-include", rest.pop()]
    return ["-Xclang"] + ([rest.pop()] if rest else [])


def _response_file(
    token: str, directory: str, roots: list[str], notes: list[str], depth: int
) -> list[str]:
    path = os.path.realpath(os.path.join(directory, token[1:]))
    if depth >= MAX_RESPONSE_DEPTH:
        notes.append(f"{token} not read: response files nested deeper than {MAX_RESPONSE_DEPTH}")
    elif not any(path == root or path.startswith(root.rstrip(os.sep) + os.sep) for root in roots):
        notes.append(f"{token} not read: it is outside the analysed tree")
    elif not os.path.isfile(path):
        notes.append(f"{token} not read: no such file")
    elif os.path.getsize(path) > MAX_RESPONSE_BYTES:
        notes.append(f"{token} not read: larger than {MAX_RESPONSE_BYTES >> 20} MiB")
    else:
        try:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                return split_command(file.read(MAX_RESPONSE_BYTES))
        except OSError as error:
            notes.append(f"{token} not read: {error.strerror}")
    return []


def from_msvc(token: str) -> str:
    """``/Ifoo``, ``/DX=1``, ``/std:c++17``, ``/openmp`` as others spell them, else empty."""
    if not token.startswith("/"):
        return token
    option = token[1:]
    if option.startswith("std:"):
        return f"-std={option[4:]}"
    if option.startswith("openmp"):
        return "-fopenmp"
    if option.startswith("FI"):
        return f"--include={option[2:]}"
    if option == "fp:fast":
        return "-ffast-math"
    return f"-{option}" if option.startswith(("I", "D", "U", "external:I", "imsvc")) else ""
