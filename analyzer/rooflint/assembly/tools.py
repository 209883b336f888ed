"""Runs the programs that a user has named or installed, and nothing else."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from rooflint.assembly.figures import Refusal

LIMIT_S: Final = 60.0
"""A compiler that takes longer on one file is stopped."""
MOST_BYTES: Final = 64 << 20
VERSIONS: Final = range(21, 13, -1)
"""LLVM releases whose suffix distributions put on program names, newest first."""
KEPT: Final = ("PATH", "HOME", "TMPDIR", "SYSTEMROOT", "LD_LIBRARY_PATH")


class Ran(NamedTuple):
    """Output of a program that ended well."""

    out: str
    err: str


def ran(
    command: Sequence[str], given: str = "", folder: str | None = None, limit_s: float = LIMIT_S
) -> Ran | Refusal:
    """Runs a program without a shell, in the C locale, with a time limit."""
    name = os.path.basename(command[0])
    environment = {key: value for key, value in os.environ.items() if key in KEPT}
    try:
        done = subprocess.run(
            list(command), input=given, capture_output=True, text=True, errors="replace",
            timeout=limit_s, cwd=folder, env={**environment, "LC_ALL": "C"}, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Refusal(f"{name} took longer than {limit_s:g} s")
    except OSError as error:
        return Refusal(f"{name} cannot be run: {error.strerror}")
    if done.returncode:
        return Refusal(f"{name}: {_first_error(done.stderr) or f'exit code {done.returncode}'}")
    if len(done.stdout) > MOST_BYTES:
        return Refusal(f"{name} wrote more than {MOST_BYTES >> 20} MiB")
    return Ran(done.stdout, done.stderr)


def located(name: str) -> str | None:
    """The path of a program; of LLVM's also under a name with a version."""
    numbered = [f"{name}-{number}" for number in VERSIONS]
    for candidate in (name, *numbered):
        if path := shutil.which(candidate):
            return path
    return None


@cache
def version_of(path: str) -> str:
    """The first line with a digit of what ``--version`` prints; empty when it fails."""
    answer = ran((path, "--version"), limit_s=10.0)
    if isinstance(answer, Refusal):
        return ""
    lines = [line.strip() for line in answer.out.splitlines()]
    return next((line for line in lines if any(c.isdigit() for c in line)), "")


def _first_error(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line), lines[0] if lines else "")[:200]
