"""Trees that try to write, to start something, or to take the answer of the file beside them.

Each is analysed with the kernel's confinement and without: the code alone has to hold too.
"""

import hashlib
import importlib.util
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import IO, Any, NamedTuple

import pytest
from rooflint.cli.main import run
from rooflint.workers.confinement import SWITCH

OK = """void harmless(int n, double a[n][n]) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      a[i][j] *= 2;
}
"""
SECRET = "TOKEN_OF_SOMEBODY=abc123;\n"
PROGRAMS = (
    "cc gcc g++ c++ clang clang++ cpp ld as git make cmake sh bash python python3 llvm-mca xcrun "
    "nvcc ptxas nvptx-arch amdgpu-arch ldd uname gpg ssh less vi file"
).split()

Builder = Callable[[Path, Path], None]


def _load(name: str) -> ModuleType:
    path = Path(__file__).with_name("trees") / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"rooflint_hostile_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MODULES = tuple(_load(name) for name in ("names", "files", "settings"))
TREES: dict[str, Builder] = {tree.__name__: tree for m in MODULES for tree in m.TREES}
SERVED = (
    "config_folder", "options_as_files", "build_tools", "python_modules", "links_to_devices",
    "crashes", "database_writes", "database_loads", "database_configures", "database_is_a_pipe",
    "configured_flags", "python_project", "git_hooks",
)  # fmt: skip
"""Trees of which an editor sees more than the file that it opens."""
PATHS: dict[str, tuple[str, ...]] = MODULES[2].PATHS
LIMITS: dict[str, tuple[str, ...]] = MODULES[1].LIMITS
COMMANDS = ("analyze", "lint")
CONFINED = (
    pytest.param(True, id="confined"),
    pytest.param(False, id="code alone", marks=pytest.mark.long),
)
ON_ONE_FILE = ("compare", "explain")
"""Commands that look at ``ok.c`` alone: what lies beside it governs how."""


class Ground(NamedTuple):
    """Where a tree lies, and everything around it that has to stay as it is."""

    tree: Path
    outside: Path
    base: Path

    def state(self) -> dict[bytes, tuple[object, ...]]:
        """Kind, size, times and content of all files but those of our own cache."""
        ours = os.fsencode(self.base / "home" / ".cache")
        return {path: state for path, state in _states(os.fsencode(self.base)) if path != ours}


def _states(folder: bytes) -> Iterator[tuple[bytes, tuple[object, ...]]]:
    try:
        with os.scandir(folder) as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
    except OSError:  # a path longer than the system takes
        return
    for entry in entries:
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        digest = ""
        if stat.S_ISREG(status.st_mode):
            with open(entry.path, "rb") as file:
                digest = hashlib.sha256(file.read()).hexdigest()
        changed = status.st_ctime_ns if not stat.S_ISDIR(status.st_mode) else 0
        yield entry.path, (status.st_mode, status.st_size, changed, digest)
        if stat.S_ISDIR(status.st_mode) and entry.name != b".cache":
            yield from _states(entry.path)


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ground]:
    for name in ("home", "tmp", "outside", "bin", "tree"):
        (tmp_path / name).mkdir()
    outside = tmp_path / "outside"
    (outside / "secret.txt").write_text(SECRET)
    (outside / "bashrc").write_text("# as it was\n")
    for program in PROGRAMS:
        (tmp_path / "bin" / program).write_text(f"#!/bin/sh\n/usr/bin/touch {outside}/RAN\n")
        (tmp_path / "bin" / program).chmod(0o755)
    for name in ("ROOFLINT_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA", SWITCH):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:.")
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.chdir(tmp_path / "tree")
    yield Ground(tmp_path / "tree", outside, tmp_path)
    os.chdir(tmp_path)
    shutil.rmtree(tmp_path / "tree", ignore_errors=True)


def arguments(command: str, name: str) -> tuple[str, ...]:
    limits = ("--jobs", "1", *LIMITS.get(name, ()))
    paths = PATHS.get(name, (".",))
    if command == "compare":
        return ("compare", "ok.c", "ok.c", "--format", "json")
    if command == "explain":
        return ("explain", "ok.c:3")
    return (command, *paths, "--format", "json", *limits)


def answers(command: str, output: str) -> bool:
    """Whether the output has what there is to say of ``ok.c``."""
    if command == "explain":
        return "RL101" in output
    report = json.loads(output)
    if command == "compare":
        return [change["function"] for change in report["changes"]] == ["harmless"]
    (file,) = (file for file in report["files"] if file["path"] == "ok.c")
    (function,) = (f for f in file["functions"] if f["name"] == "harmless")
    if command == "lint":
        return any(finding["code"] == "RL101" for finding in file["findings"])
    kernels = [kernel for nest in function["nests"] for kernel in nest["kernels"]]
    return file["status"] == "ok" and len(kernels) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs pipes, sockets and devices")
@pytest.mark.parametrize("confined", CONFINED)
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.long] * (name not in SERVED)) for name in TREES],
)
def test_a_tree(
    name: str,
    confined: bool,
    ground: Ground,
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    TREES[name](ground.tree, ground.outside)
    (ground.tree / "ok.c").write_text(OK)
    if not confined:
        monkeypatch.setenv(SWITCH, "off")
    before = ground.state()
    governed = confined and TREES[name].__module__ == MODULES[2].__name__
    for command in (*COMMANDS, *ON_ONE_FILE) if governed else COMMANDS:
        code = run(arguments(command, name))
        captured = capfdbinary.readouterr()
        out, err = captured.out.decode(), captured.err.decode(errors="backslashreplace")
        assert code in (0, 1, 2, 3), (command, err)
        assert code != 3 or "not analysed" in err or "cannot be listed" in err, (command, err)
        assert "internal" not in err, (command, err)
        assert "TOKEN" not in out + err, command
        assert "abc123" not in out + err, command
        assert answers(command, out), (command, err)
        assert ground.state() == before, command


def framed(method: str, params: object, number: int | None = None) -> bytes:
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    text = json.dumps(message if number is None else {**message, "id": number}).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(text), text)


def answered(stream: IO[bytes], number: int) -> Any:  # noqa: ANN401 - any JSON
    """The result of the request; what else the server says is passed over."""
    while True:
        size = 0
        while (line := stream.readline().strip()) != b"":
            if line.lower().startswith(b"content-length:"):
                size = int(line.split(b":")[1])
        assert size, "the server is gone"
        message = json.loads(stream.read(size))
        if message.get("id") == number and "method" not in message:
            return message["result"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs pipes, sockets and devices")
@pytest.mark.parametrize("confined", CONFINED)
def test_a_server_of_all_trees(
    confined: bool, ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pygls", reason="pygls comes with the extra [lsp]")
    if not confined:
        monkeypatch.setenv(SWITCH, "off")
    for name in SERVED:
        (ground.tree / name).mkdir()
        TREES[name](ground.tree / name, ground.outside)
        (ground.tree / name / "ok.c").write_text(OK)
    before = ground.state()
    program = "from rooflint.cli.main import main; main()"
    with subprocess.Popen(
        [sys.executable, "-P", "-c", program, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as server:  # fmt: skip
        assert server.stdin is not None
        assert server.stdout is not None

        def send(*messages: bytes) -> None:
            assert server.stdin is not None
            server.stdin.write(b"".join(messages))
            server.stdin.flush()

        send(framed("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, 0))
        answered(server.stdout, 0)
        send(framed("initialized", {}))
        for number, name in enumerate(SERVED, 1):
            uri = (ground.tree / name / "ok.c").as_uri()
            document = {"uri": uri, "languageId": "c", "version": 1, "text": OK}
            lines = {"start": {"line": 0, "character": 0}, "end": {"line": 5, "character": 0}}
            where = {"textDocument": {"uri": uri}, "range": lines}
            send(
                framed("textDocument/didOpen", {"textDocument": document}),
                framed("textDocument/inlayHint", where, number),
            )
            shown = answered(server.stdout, number)
            assert [hint["position"]["line"] for hint in shown] == [2], (name, shown)
            assert ground.state() == before, name
        send(framed("shutdown", None, 99), framed("exit", None))
        answered(server.stdout, 99)
        server.stdin.close()
        assert server.wait(20) == 0
    assert ground.state() == before


def test_there_are_enough_trees() -> None:
    assert len(TREES) >= 40
    assert all(tree.__name__ in TREES for module in MODULES for tree in module.TREES)


def test_a_watched_ground_shows_a_change(ground: Ground) -> None:
    before = ground.state()
    (ground.base / "bin" / "git").read_text()
    assert ground.state() == before
    os.system("git")
    assert set(ground.state()) - set(before) == {os.fsencode(ground.outside / "RAN")}
    (ground.outside / "RAN").unlink()
    (ground.outside / "bashrc").write_text("# as it  is\n")
    assert ground.state() != before
