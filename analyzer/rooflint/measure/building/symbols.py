"""Symbols of objects: what is missing, and stubs for it."""

import shutil
from collections.abc import Iterable, Sequence
from typing import Final

from rooflint.core.external.figures import ExternalFailure
from rooflint.core.external.tools import run_program
from rooflint.measure.building.folder import BuildFolder

_INDIRECT: Final = "i"
"""Kind of a symbol whose value a function of the file finds out while the program is loaded."""


def undefined_symbols(builder: BuildFolder, nm: str) -> tuple[str, ...] | ExternalFailure:
    """Symbols that need stubs; notes those that are code before the program's own begins."""
    linked = _symbols(nm, builder.path("program"))
    if isinstance(linked, ExternalFailure):
        return linked
    wanted: list[tuple[str, str]] = []
    for name in builder.objects:
        symbols = _symbols(nm, builder.path(name))
        if isinstance(symbols, ExternalFailure):
            return symbols
        wanted += symbols
    builder.early = [name for name, kind in wanted if kind == _INDIRECT]
    return _missing(dict.fromkeys(wanted), linked)


def _missing(
    wanted: Iterable[tuple[str, str]], linked: Iterable[tuple[str, str]]
) -> tuple[str, ...]:
    """Symbols of the user's file that neither the program nor a library defines.

    The linker leaves them out of the program; those of libraries have a version there.
    """
    known = {name.partition("@")[0] for name, _ in linked}
    return tuple([name for name, kind in wanted if kind == "U" and name not in known])


def _symbols(nm: str, path: str) -> list[tuple[str, str]] | ExternalFailure:
    """Names and kinds in an object file."""
    answer = run_program((nm, "--format=posix", path))
    if isinstance(answer, ExternalFailure):
        return answer
    rows = [line.split() for line in answer.out.splitlines()]
    return [(row[0], row[1]) for row in rows if len(row) > 1]


def stub_text(names: Sequence[str]) -> str:
    """Functions that return zero, as an integer and as a floating-point number."""
    lines = ["struct rooflint_zero { long long whole; double fraction; };"]
    for number, name in enumerate(names):
        declared = f"struct rooflint_zero rooflint_stub_{number}(void)"
        lines.append(f'{declared} __asm__("{name}");')
        lines.append(f"{declared}\n{{\n    return (struct rooflint_zero){{0, 0}};\n}}")
    return "\n".join([*lines, ""])


def called_stubs(stubs: Sequence[str], unseen: Sequence[str]) -> tuple[str, ...]:
    """Those that the function may call; other functions of the file are never run."""
    names = frozenset(unseen)
    return tuple([stub for stub in stubs if base_name(stub) in names])


def base_name(function: str) -> str:
    """The name without scopes, template arguments and parameters."""
    return function.partition("(")[0].rpartition("::")[2].partition("<")[0]


def demangled_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names as the source has them, where ``c++filt`` is installed."""
    program = shutil.which("c++filt")
    if program is None or not names:
        return names
    answer = run_program((program, *names))
    if isinstance(answer, ExternalFailure):
        return names
    return tuple(answer.out.splitlines())
