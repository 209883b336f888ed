"""The user's C compiler builds the benchmark for this computer and names its core."""

import shutil
import subprocess
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from rooflint.errors import UsageError
from rooflint.records import NamedTuple

SOURCE = Path(__file__).with_name("probe.c")
FLAGS = ("-O3", "-ffp-contract=fast", "-fno-builtin", "-pthread")
NATIVE = ("-march=native", "-mcpu=native")
"""The second is how compilers for Arm are told."""
CANDIDATES = ("cc", "gcc", "clang")
TIMEOUT_S = 60


class Built(NamedTuple):
    """The program and how it was made; ``cpu`` is the compiler's name for the core, if any."""

    program: Path
    compiler: str
    flags: tuple[str, ...]
    triple: str
    cpu: str | None


def build(folder: Path, compiler: str | None = None) -> Built:
    """The benchmark in ``folder``; raises UsageError when there is no compiler or it fails."""
    names = [compiler] if compiler else list(CANDIDATES)
    path = next((found for name in names if (found := shutil.which(name))), None)
    if path is None:
        raise UsageError(f"machine probe: no C compiler ({', '.join(names)}); name one with --cc")
    program = folder / "probe"
    errors: list[str] = []
    for native in NATIVE:
        flags = (*FLAGS, native)
        result = _run([path, *flags, str(SOURCE), "-o", str(program)])
        if result.returncode == 0:
            return Built(
                program=program,
                compiler=_run([path, "--version"]).stdout.partition("\n")[0].strip(),
                flags=flags,
                triple=_run([path, "-dumpmachine"]).stdout.strip(),
                cpu=_cpu(path, native),
            )
        errors += [line for line in result.stderr.splitlines() if "error" in line][:1]
    reason = next(filter(None, errors), "no reason")
    raise UsageError(f"machine probe: {path} could not compile the benchmark: {reason}")


def _cpu(path: str, native: str) -> str | None:
    """The compiler's name for this core; gcc lists its options, clang shows its own call."""
    option = native.partition("=")[0]
    listed = _run([path, native, "-Q", "--help=target"]).stdout
    name = _word_after(listed, f"{option}=")
    if name is None:
        call = _run([path, native, "-###", "-c", "-x", "c", "/dev/null"]).stderr
        name = _word_after(call.replace('"', ""), "-target-cpu")
    return None if name in ("native", "generic") else name


def _word_after(text: str, word: str) -> str | None:
    words = text.split()
    return next((after for before, after in pairwise(words) if before == word), None)


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(command, 1, "", f"error: {error}")
