"""Runs the programs that a user has named or installed, and nothing else."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from functools import cache
from typing import Final

from rooflint.core.external.figures import ExternalFailure
from rooflint.records import NamedTuple

LIMIT_S: Final = 60.0
"""A compiler that takes longer on one file is stopped."""
MOST_BYTES: Final = 64 << 20
VERSIONS: Final = range(21, 13, -1)
"""LLVM releases whose suffix distributions put on program names, newest first."""
KEPT: Final = ("PATH", "HOME", "TMPDIR", "SYSTEMROOT", "LD_LIBRARY_PATH")


class ProgramOutput(NamedTuple):
    """Output of a program that ended well."""

    out: str
    err: str


def run_program(
    command: Sequence[str], given: str = "", folder: str | None = None, limit_s: float = LIMIT_S
) -> ProgramOutput | ExternalFailure:
    """Runs a program without a shell, in the C locale, with a time limit."""
    name = os.path.basename(command[0])
    environment = {key: value for key, value in os.environ.items() if key in KEPT}
    try:
        # a session of its own: a driver's children must end with it
        with subprocess.Popen(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, errors="replace", cwd=folder, env={**environment, "LC_ALL": "C"},
            start_new_session=True,
        ) as process:  # fmt: skip
            try:
                out, err = process.communicate(given, limit_s)
            except subprocess.TimeoutExpired:
                _end(process)
                return ExternalFailure(f"{name} took longer than {limit_s:g} s")
            except BaseException:
                _end(process)
                raise
    except OSError as error:
        return ExternalFailure(f"{name} cannot be run: {error.strerror}")
    if process.returncode:
        return ExternalFailure(f"{name}: {_first_error(err) or f'exit code {process.returncode}'}")
    if len(out) > MOST_BYTES:
        return ExternalFailure(f"{name} wrote more than {MOST_BYTES >> 20} MiB")
    return ProgramOutput(out, err)


def _end(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.communicate()


def locate(name: str, beside: str = "") -> str | None:
    """The path of a program; of LLVM's also under a name with a version, first that of ``beside``.

    A name is looked up on the search path's absolute folders only: the current one may be a
    stranger's tree.
    """
    if os.path.dirname(name):
        return os.path.abspath(name) if shutil.which(name) else None
    folders = [f for f in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(f)]
    search = os.pathsep.join(folders)
    numbered = [f"{name}-{number}" for number in VERSIONS]
    version = re.search(r"-\d+$", beside)
    same = [name + version[0]] if version else []
    for candidate in (*same, name, *numbered):
        if path := shutil.which(candidate, path=search):
            return path
    return None


@cache
def version_of(path: str) -> str:
    """The first line with a digit of what ``--version`` prints; empty when it fails."""
    answer = run_program((path, "--version"), limit_s=10.0)
    if isinstance(answer, ExternalFailure):
        return ""
    lines = [line.strip() for line in answer.out.splitlines()]
    return next((line for line in lines if any(c.isdigit() for c in line)), "")


def gcc_release(program: str) -> int | None:
    """The release of an installed gcc, such as 12; None where no such program says one."""
    path = locate(program)
    # gcc (Debian 12.2.0-14) 12.2.0: who packaged it stands in parentheses
    release, dot, _ = version_of(path).partition(") ")[2].partition(".") if path else ("", "", "")
    return int(release) if dot and release.isdecimal() else None


def _first_error(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line), lines[0] if lines else "")[:200]
