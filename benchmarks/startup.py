"""CPU time of two installations in turns: ``startup.py OLD_PYTHON NEW_PYTHON [FOLDER ...]``.

Each interpreter belongs to an environment with the product installed by ``pip install`` (not
editable: bytecode compiled). User and system time of a command and the children it waits for, as
``os.wait4`` gives it; the two installations run alternately, first one then the other leading.
Prints median and lower quartile in ms and their ratios new : old, which hold on a busy machine
where the milliseconds do not. Each FOLDER or file is analysed and linted as well, one job, no
earlier results. Without pygls in both environments the language server is left out.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

SMALL = str(Path(__file__).parents[1] / "examples" / "triad.c")
WARM, COLD = (), ("--no-cache",)
STARTS = {
    "rooflint --version": ("--version",),
    "analyze --help": ("analyze", "--help"),
    "lint --help": ("lint", "--help"),
    "machine list": ("machine", "list"),
    "analyze triad.c --no-cache": ("analyze", SMALL, "--no-cache"),
    "analyze triad.c, warm cache": ("analyze", SMALL),
    "lint triad.c --no-cache": ("lint", SMALL, "--no-cache"),
    "lint triad.c, warm cache": ("lint", SMALL),
}
SERVER = "lsp, start to initialized and out"
CLIENT = (
    {"id": 1, "method": "initialize", "params": {"capabilities": {}, "rootUri": None}},
    {"method": "initialized", "params": {}},
    {"id": 2, "method": "shutdown"},
    {"method": "exit"},
)
HEADER = "| | old median | new median | ratio | old quartile | new quartile | ratio |"


class Task(NamedTuple):
    """A command of the product and what it reads from its standard input."""

    arguments: tuple[str, ...]
    messages: bytes = b""


def messages() -> bytes:
    """A client's side of a session that opens no file."""
    texts = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in CLIENT]
    return b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(text), text) for text in texts)


def cpu_seconds(python: str, task: Task, cache: str) -> float:
    """User and system time of one run and of the children it waited for."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    environment["ROOFLINT_CACHE_DIR"] = cache
    process = subprocess.Popen(
        [str(Path(python).with_name("rooflint")), *task.arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    assert process.stdin is not None
    process.stdin.write(task.messages)
    process.stdin.flush()
    _, status, usage = os.wait4(process.pid, 0)
    process.stdin.close()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode > 1:  # 1: findings
        sys.exit(f"{python}: {task.arguments} ends with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def alternating(pythons: Sequence[str], task: Task, repeats: int) -> list[list[float]]:
    """The times of each installation, ascending; one run of each before fills its cache."""
    with tempfile.TemporaryDirectory() as folder:
        caches = [str(Path(folder, str(number))) for number in range(len(pythons))]
        sides = list(zip(pythons, caches, strict=True))
        times: dict[str, list[float]] = {python: [] for python in pythons}
        for python, cache in sides:
            cpu_seconds(python, task, cache)
        for number in range(repeats):
            for python, cache in sides if number % 2 else reversed(sides):
                times[python].append(cpu_seconds(python, task, cache))
    return [sorted(times[python]) for python in pythons]


def row(name: str, old: Sequence[float], new: Sequence[float]) -> str:
    """One line of the table."""
    cells = []
    for before, after in (
        (statistics.median(old), statistics.median(new)),
        (old[len(old) // 4], new[len(new) // 4]),
    ):
        cells += [f"{before * 1e3:.0f}", f"{after * 1e3:.0f}", f"{after / before:.2f}"]
    return f"| {name} | {' | '.join(cells)} |"


def has_server(python: str) -> bool:
    """Whether pygls is installed beside the product."""
    return not subprocess.run(
        [python, "-c", "import pygls"], check=False, capture_output=True
    ).returncode


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("paths", nargs="*", help="source to analyse and lint as well")
    parser.add_argument("--repeats", type=int, default=40, help="of each start-up (default: 40)")
    parser.add_argument("--rounds", type=int, default=5, help="of each path (default: 5)")
    parser.add_argument("--only", default="", help="rows whose name contains this")
    arguments = parser.parse_intermixed_args()
    pythons = (arguments.old, arguments.new)
    tasks = {name: (Task(words), arguments.repeats) for name, words in STARTS.items()}
    if all(has_server(python) for python in pythons):
        tasks[SERVER] = (Task(("lsp",), messages()), arguments.repeats)
    for path in arguments.paths:
        name = Path(path).name
        for command in ("analyze", "lint"):
            words = (command, path, "--no-cache", "--jobs", "1")
            tasks[f"{command} {name}"] = (Task(words), arguments.rounds)
    print(HEADER, "| --- | --: | --: | --: | --: | --: | --: |", sep="\n")
    for name, (task, repeats) in tasks.items():
        if arguments.only in name:
            print(row(name, *alternating(pythons, task, repeats)), flush=True)


if __name__ == "__main__":
    main()
