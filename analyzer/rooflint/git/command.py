"""Runs git itself: which program, in which environment, for how long, with how much output."""

import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from rooflint.errors import UsageError

LIMIT_S: Final = 60.0
"""Listing the 80,000 files of a Linux kernel takes less than a second."""
MOST_BYTES: Final = 256 << 20
"""Of output: the listing of the kernel's files has 8 MiB."""
MOST_ERROR_BYTES: Final = 4096
INHERITED: Final = ("PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "SYSTEMROOT", "LD_LIBRARY_PATH")
"""HOME for the user's own list of ignored files; no variable of git's gets through."""
FIXED: Final = {
    "LC_ALL": "C",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "",
    "GIT_TERMINAL_PROMPT": "0",
}


class GitError(UsageError):
    """Git ended with an exit code that says no; ``code`` is it."""

    def __init__(self, command: str, code: int, reason: str) -> None:
        super().__init__(f"git {command}: {reason or f'failed with exit code {code}'}")
        self.code = code
        self.reason = reason


def git_program(tree: Path) -> str:
    """The git of the search path's absolute folders outside of ``tree``; UsageError without one."""
    inside = os.path.realpath(tree)
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        found = shutil.which("git", path=folder) if os.path.isabs(folder) else None
        if found and os.path.commonpath([inside, os.path.realpath(folder)]) != inside:
            return found
    raise UsageError("git was not found on PATH, and a commit cannot be read without it")


def run_git(
    program: str, arguments: Sequence[str], variables: Mapping[str, str], given: bytes = b""
) -> bytes:
    """The output of git; GitError where it fails, UsageError where it takes or prints too much."""
    inherited = {key: os.environ[key] for key in INHERITED if key in os.environ}
    expired = threading.Event()
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as errors:
        asked.write(given)
        asked.seek(0)
        with subprocess.Popen(
            [program, "--no-pager", *arguments], stdin=asked, stdout=subprocess.PIPE,
            stderr=errors, cwd=variables["GIT_DIR"], env={**inherited, **variables, **FIXED},
        ) as process:  # fmt: skip
            timer = threading.Timer(LIMIT_S, _stop, (process, expired))
            timer.start()
            try:
                assert process.stdout is not None
                output = process.stdout.read(MOST_BYTES + 1)
                if len(output) > MOST_BYTES:
                    process.kill()
                process.wait()
            except BaseException:
                process.kill()
                raise
            finally:
                timer.cancel()
        errors.seek(0)
        said = errors.read(MOST_ERROR_BYTES).decode(errors="replace")
    command = arguments[0]
    if expired.is_set():
        raise UsageError(f"git {command} took longer than {LIMIT_S:g} s")
    if len(output) > MOST_BYTES:
        raise UsageError(f"git {command} printed more than {MOST_BYTES >> 20} MiB")
    if process.returncode:
        raise GitError(command, process.returncode, _first_line(said))
    return output


def _stop(process: subprocess.Popen[bytes], expired: threading.Event) -> None:
    expired.set()
    process.kill()


def _first_line(text: str) -> str:
    line = text.strip().partition("\n")[0].removeprefix("fatal: ").removeprefix("error: ")
    return "".join([char if char.isprintable() else "?" for char in line])
