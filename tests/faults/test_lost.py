"""Files lost show in the exit code of every command, and what was finished is reported."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rooflint.cli.exit_codes import ExitCode, strongest

N = "enum { N = 2000 };\ndouble a[N][N];\n"
FINDING = N + (
    "void f(void) { for (int j = 0; j < N; j++) for (int i = 0; i < N; i++) a[i][j] = 2.0; }\n"
)
FINE = "void g(double *b, int n) { for (int i = 0; i < n; i++) b[i] = 2; }\n"
# a bomb: each level has the one below twice
BOMB = "".join(f"#define A{i} A{i - 1} A{i - 1}\n" for i in range(1, 60)) + "#define A0 x\nA59\n"
LIMITS = ("--file-seconds", "1", "--file-memory", "600", "--no-cache")


def rooflint(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        program(*arguments), capture_output=True, text=True, cwd=folder, timeout=120, check=False
    )


def program(*arguments: str) -> list[str]:
    return [sys.executable, "-P", "-c", "from rooflint.cli.main import main; main()", *arguments]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "bomb.c").write_text(BOMB)
    (tmp_path / "fine.c").write_text(FINE)
    return tmp_path


@pytest.mark.long
@pytest.mark.parametrize(
    "command",
    [
        ("analyze", "fine.c", "bomb.c"),
        ("lint", "fine.c", "bomb.c"),
        ("lint", "--hook", "fine.c", "bomb.c"),
        ("lint", "--fail-on", "never", "fine.c", "bomb.c"),
        ("lint", "--diff", "fine.c", "bomb.c"),
        ("lint", "--write-baseline", "known.json", "fine.c", "bomb.c"),
        ("compare", ".", ".", "--machine", "skx"),
    ],
)
def test_one_of_two_files_lost(tree: Path, command: tuple[str, ...]) -> None:
    done = rooflint(tree, *command, *LIMITS)
    assert done.returncode == 3, done.stderr
    assert "bomb.c: not analysed: " in done.stderr
    assert "fine.c: not analysed" not in done.stderr


def test_dump_loses_files_too(tree: Path) -> None:
    (tree / "folder.c").mkdir()
    entry = {"directory": str(tree), "file": "folder.c", "command": "cc -c folder.c"}
    (tree / "build.json").write_text(json.dumps([entry]))
    done = rooflint(tree, "dump", "fine.c", "build.json")
    assert "fine.c" in done.stdout
    assert "folder.c: not analysed: " in done.stderr
    assert done.returncode == 3


@pytest.mark.long
def test_findings_come_before_losses(tree: Path) -> None:
    (tree / "found.c").write_text(FINDING)
    command = ("lint", "found.c", "bomb.c", *LIMITS)
    assert rooflint(tree, *command).returncode == 1
    assert rooflint(tree, *command, "--fail-on", "never").returncode == 3
    (tree / "rooflint.toml").write_text("no-such-key = 1\n")
    assert rooflint(tree, *command).returncode == 2


def test_nothing_lost_nothing_said(tree: Path) -> None:
    assert rooflint(tree, "analyze", "fine.c", *LIMITS).returncode == 0
    assert rooflint(tree, "lint", "--hook", "fine.c", *LIMITS).returncode == 0


def test_which_code_wins() -> None:
    order = (
        ExitCode.TERMINATED, ExitCode.INTERRUPTED, ExitCode.INTERNAL, ExitCode.USAGE,
        ExitCode.FINDINGS, ExitCode.LOST, ExitCode.DISTURBED, ExitCode.FINE,
    )  # fmt: skip
    assert set(order) == set(ExitCode)
    for place, code in enumerate(order):
        assert strongest(*reversed(order[place:])) is code
    assert strongest() is ExitCode.FINE


def opened_for_writing(fifo: Path) -> int:
    """The pipe's descriptor, as soon as somebody reads from it."""
    for _ in range(1200):
        try:
            return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.05)
    raise TimeoutError(f"nobody reads {fifo}")


def alive(group: int) -> bool:
    """Whether a process of the group still runs."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
@pytest.mark.parametrize("to_all", [False, True])
@pytest.mark.parametrize(
    ("command", "finished"),
    [
        (("analyze",), "found.c:3 f"),
        (("lint",), "found.c:3:"),
        (("lint", "--format", "sarif"), '"uri": "found.c"'),
    ],
)
def test_a_signal_keeps_what_is_finished(
    tmp_path: Path,
    number: signal.Signals,
    code: int,
    to_all: bool,
    command: tuple[str, ...],
    finished: str,
) -> None:
    (tmp_path / "found.c").write_text(FINDING)
    # the second file waits for a header that nobody writes
    (tmp_path / "z.c").write_text('#include "pipe.h"\n' + FINE)
    os.mkfifo(tmp_path / "pipe.h")
    interruptible = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    line = program(*command, "found.c", "z.c", "--jobs", "1", "--no-cache")
    line[3] = interruptible + line[3]
    process = subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path,
        start_new_session=True,
    )  # fmt: skip
    pipe = opened_for_writing(tmp_path / "pipe.h")
    (os.killpg if to_all else os.kill)(process.pid, number)
    out, err = process.communicate(timeout=60)
    os.close(pipe)
    assert process.returncode == code, err
    assert finished in out.decode()
    assert b"interrupted: 1 of 2 files not analysed\n" in err
    assert not alive(process.pid)  # no child is left


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_a_comparison_that_is_cut_short(tmp_path: Path) -> None:
    (tmp_path / "old.c").write_text(FINE)
    (tmp_path / "new.c").write_text('#include "pipe.h"\n' + FINE)
    os.mkfifo(tmp_path / "pipe.h")
    process = subprocess.Popen(
        program("compare", "old.c", "new.c", "--machine", "skx", "--no-cache"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, start_new_session=True,
    )  # fmt: skip
    pipe = opened_for_writing(tmp_path / "pipe.h")
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    os.close(pipe)
    assert process.returncode == 143
    assert err == b"rooflint compare: interrupted: nothing compared\n"
    assert not alive(process.pid)
