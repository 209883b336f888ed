"""A confined process reads and computes, and does nothing else; what it says of itself is so."""

import errno
import json
import mmap
import os
import platform
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import rooflint
from rooflint.cli.main import run
from rooflint.frontend.edited.kept_units import KeptUnits
from rooflint.frontend.extract import loaded_clang
from rooflint.frontend.parse.open_parse import ParseInput
from rooflint.workers.confinement import SWITCH, Confinement, Harm, confine
from rooflint.workers.confinement_trial import try_confinement
from rooflint.workers.environment import hide_environment
from rooflint.workers.kernel import landlock, seccomp, syscalls

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

Deed = Callable[[Path], object]
DENIED = (errno.EPERM, errno.EACCES)


def in_child(deed: Callable[[], object]) -> Any:  # noqa: ANN401 - any JSON
    """What the deed gives in a forked process, by way of JSON."""
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(writes, json.dumps(deed()).encode())
        finally:
            os._exit(0)
    os.close(writes)
    with open(reads, "rb") as answer:
        text = answer.read()
    os.waitpid(pid, 0)
    return json.loads(text)


def confined(deed: Callable[[], object]) -> Any:  # noqa: ANN401 - any JSON
    def first_confine() -> object:
        confine()
        return deed()

    return in_child(first_confine)


def outcome(deed: Deed, folder: Path) -> int:
    """The error number; 0 if it was done."""
    try:
        deed(folder)
    except OSError as error:
        return error.errno or -1
    return 0


def in_force() -> Confinement:
    return Confinement(**in_child(lambda: confine()._asdict()))


def fork(_: Path) -> None:
    if os.fork() == 0:
        os._exit(0)


def bind(_: Path) -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))


def connect(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(folder / "socket"))


WRITE: dict[str, Deed] = {
    "open": lambda folder: os.open(folder / "file", os.O_WRONLY),
    "open both": lambda folder: os.open(folder / "file", os.O_RDWR),
    "append": lambda folder: os.open(folder / "file", os.O_WRONLY | os.O_APPEND),
    "cut on reading": lambda folder: os.open(folder / "file", os.O_RDONLY | os.O_TRUNC),
    "truncate": lambda folder: os.truncate(folder / "file", 1),
    "create": lambda folder: os.open(folder / "new", os.O_RDONLY | os.O_CREAT),
    "nameless": lambda folder: os.open(folder, os.O_WRONLY | getattr(os, "O_TMPFILE", 0)),
    "folder": lambda folder: os.mkdir(folder / "new"),
    "remove": lambda folder: os.unlink(folder / "file"),
    "remove folder": lambda folder: os.rmdir(folder / "empty"),
    "rename": lambda folder: os.rename(folder / "file", folder / "new"),
    "replace": lambda folder: os.replace(folder / "file", folder / "other"),
    "link": lambda folder: os.link(folder / "file", folder / "new"),
    "symbolic link": lambda folder: os.symlink("file", folder / "new"),
    "pipe": lambda folder: os.mkfifo(folder / "new"),
    "mode": lambda folder: os.chmod(folder / "file", 0o777),
    "owner": lambda folder: os.chown(folder / "file", os.getuid(), os.getgid()),
    "time": lambda folder: os.utime(folder / "file"),
}
OTHERS: dict[Harm, dict[str, Deed]] = {
    Harm.START: {
        "fork": fork,
        "program": lambda _: subprocess.run([sys.executable, "-V"], check=True),
        "exec": lambda _: os.execv("/bin/sh", ["sh", "-c", "exit 0"]),
        "spawn": lambda _: os.posix_spawn("/bin/sh", ["sh", "-c", "exit 0"], {}),
    },
    Harm.CONNECT: {"socket": lambda _: socket.socket(), "bind": bind, "connect": connect},
    Harm.SIGNAL: {"kill": lambda _: os.kill(os.getppid(), 0), "group": lambda _: os.kill(0, 0)},
}
NOT_LANDLOCKS = ("mode", "owner", "time", "group")
"""It guards no file's attributes, and in the own group one process can be signalled: oneself."""
DEEDS = [(Harm.WRITE, name, deed) for name, deed in WRITE.items()] + [
    (harm, name, deed) for harm, deeds in OTHERS.items() for name, deed in deeds.items()
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "file").write_text("text")
    (tmp_path / "other").write_text("other")
    (tmp_path / "empty").mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
    return tmp_path


def state(folder: Path) -> list[tuple[str, os.stat_result]]:
    return [(path.name, path.lstat()) for path in sorted(folder.rglob("*"))]


@pytest.mark.parametrize(("harm", "name", "deed"), DEEDS, ids=[name for _, name, _ in DEEDS])
def test_harm_is_denied(harm: Harm, name: str, deed: Deed, folder: Path) -> None:
    before = state(folder)
    result = confined(lambda: outcome(deed, folder))
    if harm not in in_force().prevents:
        pytest.skip("this system has nothing against it, and the record says so")
    assert result in DENIED
    assert [(n, s[:9]) for n, s in state(folder)] == [(n, s[:9]) for n, s in before]


def test_no_byte_is_written_where_only_the_limit_holds(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a system without the rest still has."""
    monkeypatch.setattr("rooflint.workers.kernel.landlock.deny_all_but_reading", lambda _: 0)
    monkeypatch.setattr("rooflint.workers.kernel.seccomp.filter_calls", lambda _: False)

    def write() -> object:
        record = confine()
        file = os.open(folder / "file", os.O_WRONLY)
        try:
            os.write(file, b"x")
        except OSError as error:
            return record._asdict(), error.errno
        return record._asdict(), 0

    record, error = confined(write)
    assert (record["empty_files"], record["landlock"], record["seccomp"]) == (True, 0, False)
    assert Confinement(**record).prevents == frozenset()
    assert error == errno.EFBIG
    assert (folder / "file").read_text() == "text"


@pytest.mark.parametrize("only", ["landlock", "seccomp"])
def test_each_wall_stands_alone(only: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not getattr(in_force(), only):
        pytest.skip(f"this kernel has no {only}")
    if only == "landlock":
        monkeypatch.setattr("rooflint.workers.kernel.seccomp.filter_calls", lambda _: False)
    else:
        monkeypatch.setattr("rooflint.workers.kernel.landlock.deny_all_but_reading", lambda _: 0)
    prevented = in_force().prevents
    assert prevented
    for harm, name, deed in DEEDS:
        if harm in prevented and (only == "seccomp" or name not in NOT_LANDLOCKS):
            assert confined(partial(outcome, deed, folder)) in DENIED, name


def test_reading_computing_and_threads_go_on(folder: Path) -> None:
    def work() -> object:
        found: list[object] = []

        def read() -> None:
            found.append((folder / "file").read_text())
            found.append(sorted(os.listdir(folder)))
            found.append(len(bytearray(50 << 20)))
            with mmap.mmap(-1, 1 << 20) as memory:
                found.append(len(memory))

        threading.stack_size(256 << 20)
        thread = threading.Thread(target=read)
        thread.start()
        thread.join()
        signal.signal(signal.SIGUSR2, lambda *_: found.append("signal"))
        signal.raise_signal(signal.SIGUSR2)
        return found

    text, names, size, mapped, heard = confined(work)
    assert (text, size, mapped, heard) == ("text", 50 << 20, 1 << 20, "signal")
    assert names == ["empty", "file", "other", "socket"]


def test_threads_that_run_already_are_filtered_too(folder: Path) -> None:
    def work() -> object:
        go, done = threading.Event(), list[int]()

        def late() -> None:
            go.wait()
            done.append(outcome(WRITE["create"], folder))

        thread = threading.Thread(target=late)
        thread.start()
        record = confine()
        go.set()
        thread.join()
        return record.seccomp, done[0]

    filtered, error = in_child(work)
    if not filtered:
        pytest.skip("this kernel has no filter")
    assert error in DENIED


def test_it_cannot_be_taken_back(folder: Path) -> None:
    if Harm.WRITE not in in_force().prevents:
        pytest.skip("this system has nothing against it")

    def again() -> object:
        confine()
        os.environ[SWITCH] = "off"
        confine()
        return outcome(WRITE["create"], folder)

    assert confined(again) in DENIED


def test_the_switch_of_the_tests(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SWITCH, "off")
    assert in_force() == Confinement()
    assert confined(lambda: outcome(WRITE["create"], folder)) == 0
    monkeypatch.setenv(SWITCH, "no")
    assert in_force() != Confinement()


def test_what_is_said_is_what_was_tried(capsys: pytest.CaptureFixture[str]) -> None:
    trial = try_confinement()
    assert trial.confinement == in_force()
    assert trial.prevented == trial.confinement.prevents
    assert run(["--version", "--verbose"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("  cannot\n") == len(trial.prevented)
    assert shown.count("  CAN\n") == len(Harm) - len(trial.prevented)
    assert ("a seccomp filter" in shown) == trial.confinement.seccomp
    assert (f"Landlock (version {trial.confinement.landlock})" in shown) == (
        trial.confinement.landlock > 0
    )


def test_what_is_not_in_force_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SWITCH, "off")
    assert run(["--version", "--verbose"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("  CAN\n") == len(Harm)
    assert "nothing: " in shown
    assert run(["--version", "--loud"]) == 2


def test_a_verbose_version_has_what_a_report_of_a_fault_needs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    information = tmp_path / "broken-1.0.dist-info"
    information.mkdir()
    (information / "entry_points.txt").write_text("[rooflint]\nbroken = no_such_module\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("ROOFLINT_CACHE_DIR", str(tmp_path / "cache"))
    assert run(["--version", "--verbose"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"rooflint {rooflint.__version__}"
    start, end = lines.index("Installation:") + 1, lines.index("", 2)
    rows = {line[:19].strip(): line[19:].strip() for line in lines[start:end]}
    assert rows["Python"].endswith(sys.executable)
    assert rows["libclang"] == "18.1.1"
    assert rows["machines"].partition(" ")[0].isdecimal()
    assert rows["plugins"] == "broken"
    assert rows["plugin failure"].startswith("plugin 'broken' could not be loaded")
    assert rows["cache"].startswith(str(tmp_path / "cache"))
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"rooflint {rooflint.__version__}\n"


class Library:
    """A C library whose kernel lacks everything."""

    def __init__(self, answer: int) -> None:
        self.answer = answer

    def syscall(self, *_: object) -> int:
        return self.answer

    prctl = syscall


@pytest.mark.parametrize("answer", [-1, 0])
def test_kernels_without_them(answer: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctypes.CDLL", lambda _: Library(-1))
    record = in_force()
    assert (record.landlock, record.seccomp, record.no_new_privileges) == (0, False, False)
    assert landlock.deny_all_but_reading(Library(answer)) == 0  # type: ignore[arg-type]
    monkeypatch.setattr(platform, "machine", lambda: "sparc64")
    assert not seccomp.filter_calls(Library(0))  # type: ignore[arg-type]


def test_a_system_without_a_c_library_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: None) -> None:
        raise TypeError

    monkeypatch.setattr("ctypes.CDLL", fails)
    assert in_force() == Confinement(empty_files=True, no_core_file=True)


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_is_a_program_that_the_kernel_takes(
    machine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    architecture = syscalls.own_architecture()
    assert architecture is not None
    program = seccomp.program(architecture, 1234)
    assert len(program) < 4096  # BPF_MAXINSNS
    for position, (code, if_true, if_false, _) in enumerate(program):
        jumps = (if_true, if_false) if code & 7 == 5 else ()
        assert all(position + 1 + jump < len(program) for jump in jumps)
    assert program[-1][0] & 7 == 6  # it ends with an answer


def test_numbers_are_the_kernels() -> None:
    headers = {
        "x86_64": "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
        "aarch64": "/usr/include/aarch64-linux-gnu/asm/unistd.h",
    }
    path = Path(headers.get(platform.machine(), "/none"))
    if not path.is_file():
        pytest.skip("the kernel's headers are not installed")
    words = [line.split() for line in path.read_text().splitlines()]
    numbers = {w[1].removeprefix("__NR_"): w[2] for w in words if len(w) == 3}
    architecture = syscalls.own_architecture()
    assert architecture is not None
    names = (*syscalls.START, *syscalls.OTHER_PROCESSES, *syscalls.NETWORK, *syscalls.FILES)
    checked = 0
    for name in (*names, *syscalls.SYSTEM, "clone", "clone3", "openat2", "ioctl", "prlimit64"):
        if name in numbers:
            assert architecture.number(name) == int(numbers[name]), name
            checked += 1
    assert checked > 100


def test_c_code_sees_the_variables_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CCC_OVERRIDE_OPTIONS", "+-MD")
    monkeypatch.setenv("CPATH", "/inc")

    def look() -> object:
        import ctypes  # noqa: PLC0415

        hide_environment()
        library = ctypes.CDLL(None)
        library.getenv.restype = ctypes.c_char_p
        hidden, needed = library.getenv(b"CCC_OVERRIDE_OPTIONS"), library.getenv(b"CPATH")
        return hidden is None, needed.decode(), os.environ["CCC_OVERRIDE_OPTIONS"]

    assert in_child(look) == [True, "/inc", "+-MD"]


def test_libclang_keeps_what_files_include_in_memory(folder: Path) -> None:
    (folder / "scale.h").write_bytes(b"int scaled(int a);\n")
    path, text = str(folder / "f.c"), b'#include "scale.h"\nint twice(int a) { return 2 * a; }\n'
    parse = ParseInput(arguments=("-x", "c"), files=((path, text),), headers="real")

    def fails() -> list[bool]:
        units, clang = KeptUnits(), loaded_clang()
        texts = (text, text + b"int more;\n", b"int wrong(\n")
        parsed = (units.parse("f.c", parse, each) for each in texts)
        return [bool(clang.getNumDiagnostics(handle)) for handle in parsed]

    assert confined(fails) == [False, False, True]
