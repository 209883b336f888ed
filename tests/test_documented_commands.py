"""Each command line of the documentation is understood and executed.

A command runs in a project with the files that pages name, a person at the terminal who answers,
and a compiler. ``tests/pipeline/test_cluster.py`` executes those that name a cluster; blocks that
show output are compared by ``test_docs.py`` and ``test_shown_commands.py``. NOT_RUN lists the lines
of other programs, with the reason.
"""

import io
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from rooflint.cli import completion
from rooflint.cli.arguments import split_flags
from rooflint.cli.completion.commands import parser_of
from rooflint.cli.main import run
from rooflint.errors import UsageError

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "SECURITY.md",
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("editors/*/README.md"),
        *ROOT.glob("machines/*.md"),
        *ROOT.glob("benchmarks/*.md"),
    ]
)
FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"(?:\$ )?((?:analyze|rooflint(?! \w+:)) .*)")
SHOWN = re.compile(r"\s{2,}|\s#\s|\s\|\s")
"""Between a command and the words that explain it, or what filters its output."""
ELSEWHERE = re.compile(r"--cluster")
"""Executed where a cluster is."""
SESSION = re.compile(r"```sh\n(git stash.*?)```", re.DOTALL)
"""Lines of the first hour, which test_the_measured_session_runs executes one after the other."""
NOT_RUN = {
    r"pip install \.": "needs the network; .ci/run installs the wheel",
    r"make (test|check|docs)": "a step of .ci/run, which these tests are part of",
    r"make (format|clean)": "changes or removes files of the tree",
    r"make demo|\.venv/bin/analyze path/to/src": "makes an environment, from the network",
    r"\.ci/run": "runs these tests",
    r"\.ci/release": "test_package.py runs it",
    r"lstopo .*": "a program of hwloc; test_topology.py has what it prints",
    r"cmake .*": "the build of a project from the network",
    r"llvm-mca .*": "a program of LLVM; test_llvm.py has what it prints",
    r"git stash( pop)?": "part of a session, which test_the_measured_session_runs executes",
    r"python benchmarks/\w+\.py.*": "needs trees from the network, and minutes to hours",
}
"""Lines of other programs that no test executes as they stand."""


def blocks(page: Path) -> Iterator[tuple[str, str]]:
    """The kind and the text of each block that may hold command lines."""
    for kind, block in FENCED.findall(page.read_text(encoding="utf-8")):
        if kind in ("", "sh", "bash", "console"):
            yield kind, block


def is_compared(page: Path, kind: str) -> bool:
    """Whether another test compares the block with what its commands print."""
    return kind == "console" and (page.name == "README.md" or page.is_relative_to(ROOT / "docs"))


def command_lines(*, compared: bool) -> Iterator[tuple[str, str]]:
    """The page and the line without what explains it; each line once."""
    seen = set()
    for page in PAGES:
        for kind, block in blocks(page):
            if is_compared(page, kind) and not compared:
                continue
            for line in block.splitlines():
                found = COMMAND.fullmatch(line.strip())
                if found is None or (kind == "console" and not line.startswith("$ ")):
                    continue
                command = SHOWN.split(found[1])[0].strip()
                if command not in seen:
                    seen.add(command)
                    yield page.relative_to(ROOT).as_posix(), command


def other_lines() -> Iterator[tuple[str, str]]:
    """The page and the line, of other programs, of blocks for a shell."""
    for page in PAGES:
        for kind, block in blocks(page):
            lines = block.replace("\\\n", " ").splitlines() if kind in ("sh", "bash") else []
            for line in map(str.strip, lines):
                if line and COMMAND.fullmatch(line) is None:
                    yield page.relative_to(ROOT).as_posix(), SHOWN.split(line)[0]


CACHE = '<object type="L1Cache" cache_size="32768" cache_linesize="64" cache_type="1">'
HWLOC = (
    f'<topology version="2.0"><object type="Machine">{CACHE}<object type="Core">'
    '<object type="PU"/></object></object></object></topology>'
)
LIKWID = "STRUCT,Info,3\nSockets:,1,\nCores per socket:,1,\nThreads per core:,1,\n"
LIKWID += "Size:,32 kB,\nCache groups:,0\nNUMA domains:,1,\n"
LLVM_MCA = """{"TargetInfo": {"CPUName": "alderlake", "Resources": ["P0"]},
"CodeRegions": [{"Name": "load",
"InstructionInfoView": {"InstructionList": [
{"Latency": 5, "NumMicroOpcodes": 1, "RThroughput": 1, "mayStore": false}]},
"ResourcePressureView": {"ResourcePressureInfo": [
{"InstructionIndex": 0, "ResourceIndex": 0, "ResourceUsage": 1}]}}]}"""

EXIT = '{"jsonrpc": "2.0", "method": "exit"}'
PROBE = re.compile(r"(?<=machine probe -o )\w+\.yaml")
"""Takes 20 seconds even when it is short, whatever the file is called."""
LINES = list(command_lines(compared=True))
RUN = [command for _, command in command_lines(compared=False) if ELSEWHERE.search(command) is None]
MEASURED = [
    command
    for command in RUN
    if command.startswith("rooflint measure") and "plate.c" not in command
]
PLAIN = [command for command in RUN if not command.startswith("rooflint measure")]
SERVERS = [command for command in PLAIN if command.startswith("rooflint lsp")]
STREAM_SERVERS = [command for command in SERVERS if "--tcp" not in command]


def test_the_pages_have_commands() -> None:
    assert len(LINES) > 80
    assert len(RUN) > 60
    assert len(MEASURED) > 10
    assert {page for page, _ in LINES} >= {"README.md", "docs/lint.md", "docs/measure.md"}
    # all but those that are compared and those of a cluster
    left = {command for _, command in LINES}.difference(RUN)
    assert sum(ELSEWHERE.search(command) is not None for command in left) == 1


def test_lines_of_other_programs_have_a_reason_not_to_run() -> None:
    lines = [line for _, line in other_lines()]
    unknown = [x for x in lines if not any(re.fullmatch(reason, x) for reason in NOT_RUN)]
    assert unknown == []
    unused = [x for x in NOT_RUN if not any(re.fullmatch(x, line) for line in lines)]
    assert unused == []
    targets = (ROOT / "Makefile").read_text(encoding="utf-8")
    for line in lines:
        program, *words = line.split()
        assert program != "make" or f"\n{words[0]}:" in targets, line
        assert program != "python" or (ROOT / words[0]).is_file(), line


@pytest.mark.parametrize(("page", "command"), LINES, ids=[command for _, command in LINES])
def test_a_command_is_understood(page: str, command: str) -> None:
    program, *words = shlex.split(command)
    name = words.pop(0) if program == "rooflint" else "analyze"
    if name == "--version":
        return  # of the program itself; test_the_commands_run executes it
    if name == "machine":
        name = f"machine {words.pop(0)}"
    mine, _ = split_flags(words)
    parser = completion.build_parser() if name == "completion" else parser_of(name)
    parser.parse(mine)


def test_a_mistake_is_noticed() -> None:
    with pytest.raises(UsageError, match="--machines"):
        parser_of("lint").parse(["src/", "--machines", "skx"])
    with pytest.raises(KeyError):
        parser_of("lints")


def git(*arguments: str) -> None:
    names = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *names, *arguments], check=True, capture_output=True)


def documented(name: str) -> str:
    return (ROOT / "tests" / "documented" / name).read_text(encoding="utf-8")


TRIAD, STENCIL = documented("triad.c"), documented("stencil.c")
FILES = {
    "host.xml": HWLOC,
    "host.yaml": (ROOT / "machines" / "zen4-9654.yaml").read_text(encoding="utf-8"),
    "HaswellEP_E5-2695v3.yml": (ROOT / "tests" / "machine" / "toy_cpu.yml").read_text(),
    "FILE": LIKWID,
    "alderlake.json": LLVM_MCA,
    "triad.c": TRIAD,
    "CODES/triad.c": TRIAD,
    "gemm.c": documented("gemm.c"),
    "blocked.c": documented("blocked.c"),
    "stencil.c": STENCIL,
    "jacobi.c": STENCIL,
    "src/a.c": STENCIL,
    "polybench/jacobi.c": STENCIL.replace("void sweep", "void kernel_jacobi"),
    "PolyBenchC-4.2.1/triad.c": f'#include "polybench.h"\n{TRIAD}',
    "PolyBenchC-4.2.1/utilities/polybench.h": "#pragma once\n",
}
"""What pages name, trees of others included, by small files that have what the commands ask for."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small project with everything that the pages' commands name."""
    folder = tmp_path_factory.mktemp("project")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name in ("src", "include", "build", "old", "new"):
            Path(name).mkdir()
        for name, text in FILES.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(text)
        shutil.copytree(ROOT / "examples", "examples")
        triad = (ROOT / "examples" / "triad.c").read_text()
        matmul = (ROOT / "examples" / "matmul.c").read_text()
        Path("kernel.c").write_text(triad)
        Path("old/a.c").write_text(matmul)
        Path("new/a.c").write_text(matmul)
        # a loop at line 120, in a function of the pages
        body = matmul.replace("matmul", "smooth")
        start = body[: body.index("for (int k")].count("\n")
        Path("src/solver.c").write_text("\n" * (119 - start) + body)
        entry = {"directory": str(folder), "file": "src/solver.c", "command": "cc -O2 -c x.c"}
        Path("build/compile_commands.json").write_text(json.dumps([entry]))
        git("init", "-q")
        git("symbolic-ref", "HEAD", "refs/heads/main")
        for message in ("first", "second"):
            Path("notes").write_text(message)
            git("add", ".")
            git("commit", "-qm", message)
    return folder


class Terminal(io.StringIO):
    """What somebody types, or sees."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def alone(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the project, with a home and caches that know nothing yet."""
    monkeypatch.chdir(project)
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "ROOFLINT_CACHE_DIR"):
        monkeypatch.setenv(name, str(tmp_path / "home"))


@pytest.fixture
def short_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rounds of a few milliseconds each: figures as doubtful as they are quick."""
    for name, value in (("SECONDS", 0.005), ("MEMORY_SECONDS", 0.005), ("STEP_SECONDS", 0.002)):
        monkeypatch.setattr(f"rooflint.machine.probe.measure.{name}", value)
    monkeypatch.setattr("rooflint.machine.probe.measure.ROUNDS", 2)
    monkeypatch.setattr("rooflint.machine.probe.measure.PER_CACHE", 1)


def executed(words: list[str], typed: str, patch: pytest.MonkeyPatch) -> tuple[int, str]:
    """The exit code, and what a person at the terminal sees on standard error."""
    patch.setattr("sys.stdin", Terminal(typed))
    screen = Terminal()
    patch.setattr("sys.stderr", screen)
    return run(words), screen.getvalue()


@pytest.mark.long
def test_the_commands_run(
    project: Path,
    alone: None,
    short_probe: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In the order of the pages, because some write what others read."""
    wrong = []
    for command in dict.fromkeys(PROBE.sub("mine.yaml", command) for command in PLAIN):
        program, *words = shlex.split(command)
        if command in SERVERS:
            continue
        typed = "500\n" * 9 if "--write" in words else ""
        code, screen = executed(["analyze"] * (program == "analyze") + words, typed, monkeypatch)
        out = capsys.readouterr().out
        doubtful = "probe" in words and "--accept-doubtful" in screen  # other work on the machine
        if (code not in (0, 1) and not doubtful) or not (out or screen or "-o" in words):
            wrong.append(f"{command}: {code}: {screen.strip()[-300:]}")
        if words[0] == "init" or "--write" in words:
            for written in project.rglob("rooflint.toml"):
                written.unlink()
        if words[0] == "new-plugin":
            shutil.rmtree(project / "rooflint-acme")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("command", STREAM_SERVERS)
def test_a_server_ends_with_its_editor(command: str, project: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command.split()],
        cwd=project, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, b"")


def test_a_server_ends_with_its_client(project: Path) -> None:
    """The documented command with another port: 8777 may be taken."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    (command,) = set(SERVERS).difference(STREAM_SERVERS)
    words = command.replace("8777", str(port)).split()
    server = subprocess.Popen([sys.executable, "-m", *words], cwd=project)
    try:
        for _ in range(200):
            try:
                with socket.create_connection(("127.0.0.1", port)) as client:
                    client.sendall(f"Content-Length: {len(EXIT)}\r\n\r\n{EXIT}".encode())
                break
            except ConnectionRefusedError:
                time.sleep(0.1)
        assert server.wait(timeout=30) == 1  # it was not asked to shut down before
    finally:
        server.kill()


def stated_cores(words: list[str]) -> int:
    """The most that ``--cores`` names."""
    return max(map(int, words[words.index("--cores") + 1].split(","))) if "--cores" in words else 1


@pytest.mark.long
@pytest.mark.parametrize("command", MEASURED)
def test_a_measurement_runs(
    command: str,
    alone: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """By consent. Where other work disturbs it, it says so and runs out of time (3 and 4)."""
    _, *words = shlex.split(command)
    if stated_cores(words) > len(os.sched_getaffinity(0)):
        pytest.skip("needs more cores")
    code, screen = executed(words, "y\n", monkeypatch)
    out = capsys.readouterr().out
    late = "the budget ended" in out
    assert code == 0 or (code in (3, 4) and ("disturbed" in out or late)), f"{out}{screen}"
    asks = {"--dry-run", "--export", "--import"}.isdisjoint(words)
    assert screen.count("Run it? [y/N]") == asks
    assert "refused" not in out or late, out


@pytest.mark.long
def test_the_measured_session_runs(
    tmp_path: Path,
    alone: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The code as it was, measured, and the change of the page's earlier commands again."""
    page = (ROOT / "docs" / "first-hour.md").read_text(encoding="utf-8")
    (session,) = SESSION.findall(page)
    shutil.copytree(ROOT / "docs" / "first-hour", tmp_path / "first-hour")
    monkeypatch.chdir(tmp_path / "first-hour")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "as found")
    plate = Path("plate.c")
    changed = plate.read_text().replace("rate", "speed")
    plate.write_text(changed)
    for line in session.splitlines():
        program, *words = shlex.split(line, comments=True)
        if program == "git":
            git(*words)
        else:
            code, screen = executed(words, "y\n", monkeypatch)
            assert code in (0, 4), screen
            assert "equal in every bit" in capsys.readouterr().out
            assert plate.read_text() != changed
    assert plate.read_text() == changed
