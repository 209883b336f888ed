"""Whole projects through the command line: ``scaling.py FOLDER... [--lint]``, Markdown on stdout.

By project: files, loops, those analysed and refused, the CPU time against libclang's bare parse of
the same files, the largest process. Over all of them: 2 jobs against 1, a second run against the
first, and how much memory the run has at a tenth, half and all of its time. Exits with 1 when a
file crashes, hangs or is lost, or the program reports an internal error.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from census import timed_parse
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.frontend.request import Request
from rooflint.pipeline import find_sources
from rooflint.workers.dialogue import Dialogue
from rooflint.workers.limits import Failure, Limits
from rooflint.workers.pool import Workers

PROGRAM = (sys.executable, "-P", "-c", "from rooflint.cli.main import main; main()")
SAMPLE_S = 0.2
REASONS = 12


class Run(NamedTuple):
    """One run of the program; ``rss_mib`` is that of all its processes, sampled over time."""

    code: int
    wall_s: float
    cpu_s: float
    largest_mib: float
    errors: str
    rss_mib: tuple[float, ...]


class Project(NamedTuple):
    """What a report says of one project, and what it cost."""

    name: str
    files: int
    failed: tuple[str, ...]
    loops: int
    analysed: int
    refused: Counter[str]
    cold: Run
    bare_s: float


def run(arguments: Sequence[str], cache: str) -> Run:
    """Runs the program to its end."""
    begin = time.monotonic()
    environment = {**os.environ, "ROOFLINT_CACHE_DIR": cache}
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            [*PROGRAM, *arguments], stdout=subprocess.DEVNULL, stderr=errors, env=environment
        )
        rss = []
        while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            rss.append(sum(resident_mib(process.pid)))
            time.sleep(SAMPLE_S)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        said = errors.read()
    cpu_s = usage.ru_utime + usage.ru_stime
    wall_s = time.monotonic() - begin
    return Run(process.returncode, wall_s, cpu_s, usage.ru_maxrss / 1024, said, tuple(rss))


def resident_mib(pid: int) -> Iterator[float]:
    """Own memory of a process and of its children: pages that a fork shares count once."""
    try:
        text = Path(f"/proc/{pid}/statm").read_text()
        shared = int(text.split()[2])
        yield (int(text.split()[1]) - shared) * resource.getpagesize() / 2**20
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return  # it has just ended
    for child in children:
        yield from resident_mib(int(child))


def measure(folder: str, command: str, scratch: str) -> Project:
    """A cold run with one job, what it reports, and the bare parse of the same files."""
    name = os.path.basename(os.path.normpath(folder))
    output = os.path.join(scratch, "report.json")
    arguments = (command, folder, "--jobs", "1", "--format", "json", "-o", output)
    cold = run(arguments, os.path.join(scratch, name))
    # the lint's report has findings; loops are counted by the analysis
    if command != "analyze":
        run(("analyze", *arguments[1:]), os.path.join(scratch, name))
    report: dict[str, Any] = json.loads(Path(output).read_text("utf-8"))
    failed = tuple(
        f"{file['path']}: {file['diagnostics'][0]['message']}"
        for file in report["files"]
        if file["status"] == "failed"
    )
    summary = report["summary"]
    sources = find_sources([folder]).sources
    if len(sources) != len(report["files"]):
        failed += (f"{folder}: {len(sources)} files, {len(report['files'])} in the report",)
    return Project(
        name, len(report["files"]), failed, summary["loops"], summary["analysed"],
        Counter(summary["refused"]), cold, bare_seconds(sources),
    )  # fmt: skip


def bare_seconds(sources: Sequence[str]) -> float:
    """CPU seconds of libclang alone over the files that it can parse."""
    finder = FlagFinder()
    requests = [Request(path, finder.flags(path)) for path in sources]
    times = Dialogue[Request, float](Request, float)
    with Workers(timed_parse, Limits(), times) as parsers:
        found = [answer for _, answer in parsers.analyse_all(requests)]
    return sum(seconds for seconds in found if not isinstance(seconds, Failure))


def row(project: Project) -> str:
    """A line of the table."""
    refused = sum(project.refused.values())
    cells = (
        project.name, project.files, project.loops, project.analysed, refused,
        len(project.failed), f"{project.cold.cpu_s:.1f}",
        f"{project.cold.cpu_s / project.bare_s:.2f}" if project.bare_s else "",
        f"{project.cold.largest_mib:.0f}",
    )  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |"


def overall(folders: Sequence[str], command: str, scratch: str) -> bool:
    """All folders in one run: jobs, the cache, memory over time; whether nothing broke."""
    arguments = (command, *folders, "--format", "json", "-o", os.path.join(scratch, "all.json"))
    runs = [
        ("1 job, cold", run((*arguments, "--jobs", "1"), f"{scratch}/one")),
        ("2 jobs, cold", run((*arguments, "--jobs", "2"), f"{scratch}/two")),
        ("2 jobs, warm", run((*arguments, "--jobs", "2"), f"{scratch}/two")),
    ]
    print("\n| run | wall s | CPU s | largest process MiB | all MiB at 10 %, 50 %, 100 % |")
    print("|---|--:|--:|--:|---|")
    for name, each in runs:
        at = [each.rss_mib[min(len(each.rss_mib) - 1, int(len(each.rss_mib) * part))]
              for part in (0.1, 0.5, 0.97)] if each.rss_mib else []  # fmt: skip
        memory = ", ".join(f"{mib:.0f}" for mib in at)
        print(
            f"| {name} | {each.wall_s:.1f} | {each.cpu_s:.1f} | {each.largest_mib:.0f} | {memory} |"
        )
    one, two, warm = (each for _, each in runs)
    print(f"\n2 jobs: {one.wall_s / two.wall_s:.2f} times as fast as 1 job; ", end="")
    print(f"a second run: {two.wall_s / warm.wall_s:.1f} times as fast as the first.")
    return all(each.code in (0, 1) and "internal error" not in each.errors for _, each in runs)


def main() -> int:
    """The tables; 1 when anything broke."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--lint", action="store_true", help="rooflint lint in place of analyze")
    given = parser.parse_args()
    command = "lint" if given.lint else "analyze"
    sound = True
    reasons: Counter[str] = Counter()
    print("| project | files | loops | analysed | refused | lost | CPU s | of bare parse | MiB |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as scratch:
        for folder in given.folders:
            project = measure(folder, command, scratch)
            print(row(project), flush=True)
            reasons += project.refused
            broken = [line for line in project.cold.errors.splitlines() if "internal" in line]
            for problem in (*project.failed, *broken):
                sound = False
                print(problem, file=sys.stderr, flush=True)
        print("\n| refused | loops |\n|---|--:|")
        for reason, count in reasons.most_common(REASONS):
            print(f"| {reason} | {count} |")
        sound = overall(given.folders, command, scratch) and sound
    return not sound


if __name__ == "__main__":
    sys.exit(main())
