"""The user's C compiler builds the benchmark for this computer and names its core."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rooflint.errors import UsageError

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
    words = ""
    for native in NATIVE:
        flags = (*FLAGS, native)
        result = _run([path, *flags, str(SOURCE), "-o", str(program)])
        if result.returncode == 0:
            version = _run([path, "--version"]).stdout.partition("\n")[0].strip()
            triple = _run([path, "-dumpmachine"]).stdout.strip()
            return Built(program, version, flags, triple, _cpu(path, native))
        words = words or next((x for x in result.stderr.splitlines() if "error" in x), "")
    raise UsageError(
        f"machine probe: {path} could not compile the benchmark: {words or 'no reason'}"
    )


def _cpu(path: str, native: str) -> str | None:
    option = native.partition("=")[0]
    said = _run([path, native, "-Q", "--help=target"]).stdout
    found = re.search(rf"^\s*{re.escape(option)}=\s+(\S+)", said, re.MULTILINE)
    if found is None:
        said = _run([path, native, "-###", "-c", "-x", "c", "/dev/null"]).stderr
        found = re.search(r'"-target-cpu" "([^"]+)"', said)
    return None if found is None or found[1] in ("native", "generic") else found[1]


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(command, 1, "", f"error: {error}")
