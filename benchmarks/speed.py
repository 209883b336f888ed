"""What the analysis costs, as ratios measured in one run: ``speed.py --polybench FOLDER ...``.

CPU time, minimum of several repeats, the two sides of a ratio taken in turns. Prints a table of
five targets, lettered as in the README; exits with 1 when one is missed or not measured.
"""

import argparse
import ctypes
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bare_parse import parse, parse_seconds
from polybench import compiler_flags, kernel_files
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.pipeline import Options
from rooflint.pipeline.files import FileResult, analyse_unit
from rooflint.pipeline.setup.resolver import SetupResolver
from rooflint.registry import load_registry
from rooflint.workers.dialogue import Dialogue
from rooflint.workers.limits import Failure, Limits
from rooflint.workers.pool import Workers
from rooflint.workers.wire import Codec

HEADERS_TARGET, DENSE_TARGET, START_TARGET_S, MEMORY_TARGET, TRIPS_TARGET = 0.6, 2.2, 0.15, 1.5, 1.1
SUBREAPER = 36
PEAK = "VmHWM"
RESULTS = Codec[FileResult](FileResult)
SMALL = Path(__file__).parents[1] / "examples" / "triad.c"


class Cost(NamedTuple):
    """CPU seconds of one file: front end, all after it, and on the other side the parse alone."""

    frontend_s: float
    rest_s: float
    parse_s: float

    @property
    def analysis_s(self) -> float:
        """The whole analysis."""
        return self.frontend_s + self.rest_s

    @property
    def ratio(self) -> float:
        """The analysis as a multiple of the parse."""
        return self.analysis_s / self.parse_s


class Line(NamedTuple):
    """A row of the result: ``value`` must not exceed ``target``; None was not measured."""

    letter: str
    what: str
    detail: str
    value: float | None
    target: float
    unit: str = "×"

    @property
    def verdict(self) -> str:
        """Pass, miss or not measured."""
        if self.value is None:
            return "not measured"
        return "pass" if self.value <= self.target else "**miss**"


def analysis_seconds(request: Request) -> tuple[float, ...]:
    """In a child: front end; facts, Roofline and transport, of one file on one machine.

    Machine and models are loaded before the clock starts: a run does that once, not once a file.
    """
    options = Options(machines=("generic-avx2",), models=("roofline",))
    bench = SetupResolver(options, load_registry()).setup_for(request.path)
    begin = time.process_time()
    unit = extract(request)
    middle = time.process_time()
    RESULTS.decode(RESULTS.encode(analyse_unit(request.path, unit, bench)))
    return middle - begin, time.process_time() - middle


def bare_seconds(request: Request) -> tuple[float, ...]:
    """In a child: the parse alone."""
    return (parse_seconds(request),)


def measure(request: Request, repeats: int) -> Cost:
    """Both sides in turns, each in a child process of its own as the program uses it."""
    sides = (analysis_seconds, bare_seconds)
    best: list[tuple[float, ...]] = [(float("inf"),)] * len(sides)
    times = Dialogue[Request, tuple[float, ...]](Request, tuple[float, ...])
    children = [Workers(side, Limits(seconds=120), times) for side in sides]
    for _ in range(repeats + 1):
        for number, child in enumerate(children):
            answer = child.analyse(request)
            if isinstance(answer, Failure):
                sys.exit(f"{request.path}: {answer.reason}")
            best[number] = min(best[number], answer, key=sum)
    for child in children:
        child.close()
    return Cost(*best[0], *best[1])


def with_headers(folder: str | None, cxx: Sequence[Request], repeats: int) -> Line:
    """PolyBench and large C++ files, sums of both sides."""
    what = "analysis / parse with headers"
    if folder is None or not cxx:
        return Line("a", what, "PolyBench and large C++ files", None, HEADERS_TARGET)
    finder = FlagFinder(extra=compiler_flags(folder, "LARGE_DATASET"))
    small = total(
        [measure(Request(path, finder.flags(path)), repeats) for _, path in kernel_files(folder)]
    )
    show("PolyBench, 30 files", small)
    costs = [small]
    for request in cxx:
        costs.append(measure(request, repeats))
        show(os.path.basename(request.path), costs[-1])
    everything = total(costs)
    show("together", everything)
    detail = f"PolyBench, {', '.join([os.path.basename(request.path) for request in cxx])}"
    return Line("a", what, detail, everything.ratio, HEADERS_TARGET)


def request_of(text: str) -> Request:
    """``FILE`` as a user without a compilation database has it, or ``FILE FLAG...``."""
    path, *flags = shlex.split(text)
    return Request(path, FlagFinder(extra=flags).flags(path))


def total(costs: Sequence[Cost]) -> Cost:
    """Both sides summed."""
    return Cost(*map(sum, zip(*costs, strict=True)))


def show(name: str, cost: Cost) -> None:
    """One measurement in milliseconds."""
    frontend, rest, bare = (1000 * seconds for seconds in cost)
    print(f"  {name}: {frontend:.1f} + {rest:.1f} ms, parse alone {bare:.1f} ms, {cost.ratio:.2f}")


def dense(generated: str, others: Sequence[str], repeats: int) -> Line:
    """C files that are nearly all loops; the one without headers decides."""
    for path in (*others, generated):
        cost = measure(Request(path, FlagFinder().flags(path)), repeats)
        show(os.path.basename(path), cost)
    detail = "dense C, 300 loops, no header"
    return Line("b", "analysis / parse", detail, cost.ratio, DENSE_TARGET)


def dense_source(loops: int) -> str:
    """A C file without headers: streams, reductions, stencils, triangles and products in turns."""
    parts = []
    made = number = 0
    while made < loops:
        parameters, body = BODIES[number % len(BODIES)]
        parts.append(f"void f{number}(int n, int m, {parameters}) {{\n{body}}}\n")
        made += body.count("for (")
        number += 1
    return "".join(parts)


# fmt: off
BODIES = (
    ("double s, double *restrict x, const double *y, const double *z",
     "  for (int i = 0; i < n; i++)\n    x[i] = y[i] + s * z[i];\n"),
    ("double *y, const double *x",
     "  double t = 0;\n  for (int i = 0; i < n; i++)\n    t += x[i] * x[i];\n  y[0] = t;\n"),
    ("double a[restrict n][m], double b[restrict n][m]",
     "  for (int i = 1; i < n - 1; i++)\n    for (int j = 1; j < m - 1; j++)\n"
     "      b[i][j] = 0.25 * (a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j]);\n"),
    ("double a[restrict n][m], double *restrict y, const double *x",
     "  for (int i = 0; i < n; i++) {\n    y[i] = 0;\n    for (int j = 0; j <= i; j++)\n"
     "      y[i] += a[i][j] * x[j];\n  }\n"),
    ("double s, double c[8][64][64]",
     "  for (int i = 0; i < 8; i++)\n    for (int j = 0; j < 64; j++)\n"
     "      for (int k = 0; k < 64; k++)\n        c[i][j][k] = c[i][j][k] > s ? s : c[i][j][k];\n"),
)
# fmt: on


def start(file: str, repeats: int) -> Line:
    """``analyze`` on a small file from process start, its child processes included."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [str(Path(sys.executable).with_name("analyze")), file]
    if sys.platform == "linux":
        # Children that outlive the program are then waited for here, and counted.
        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    best = min(cpu_of(command, environment) for _ in range(3 * repeats + 1))
    print(f"  analyze {os.path.basename(file)}: {1000 * best:.0f} ms")
    what = f"analyze {os.path.basename(file)}"
    return Line("c", what, "CPU from process start, children too", best, START_TARGET_S, "s")


def cpu_of(command: Sequence[str], environment: dict[str, str]) -> float:
    """CPU seconds of a command and of all it started."""
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    seconds = 0.0
    while True:
        try:
            pid, status, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return seconds
        seconds += usage.ru_utime + usage.ru_stime
        if pid == process.pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                sys.exit(f"{' '.join(command)}: exit code {process.returncode}")


def peak_kib() -> int:
    """The largest resident size of this process so far."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(PEAK))


def parse_peak(request: Request) -> int:
    """In a child: peak memory of the parse alone."""
    unit = parse(request)
    assert unit is not None
    return peak_kib()


def analysis_peak(request: Request) -> int:
    """In a child: peak memory of the whole analysis."""
    analysis_seconds(request)
    return peak_kib()


def memory(requests: Sequence[Request]) -> Line:
    """The worst file; a fresh child for each measurement, libclang and interpreter included."""
    worst = 0.0
    for request in requests:
        peaks: list[float] = []
        for side in (analysis_peak, parse_peak):
            dialogue = Dialogue[Request, int](Request, int)
            with Workers(side, Limits(seconds=120), dialogue) as child:
                answer = child.analyse(request)
            if isinstance(answer, Failure):
                sys.exit(f"{request.path}: {answer.reason}")
            peaks.append(answer / 1024)
        own, bare = peaks
        print(
            f"  {os.path.basename(request.path)}: {own:.0f} MiB,"
            f" parse alone {bare:.0f} MiB, {own / bare:.2f}"
        )
        worst = max(worst, own / bare)
    detail = f"worst of {len(requests)} files"
    return Line("d", "peak memory / parse", detail, worst, MEMORY_TARGET)


NESTS = """double a[N], b[N], c[N];
void f(void) { for (long i = 1; i < N - 1; i++) a[i] = b[i - 1] + b[i + 1]; }
void g(void) {
  for (long i = 0; i < N; i++)
    for (long j = 0; j <= i; j++) a[i] += b[j] * c[i];
}
void h(void) {
  for (long t = 0; t < N; t++)
    for (long i = 0; i < N; i += 3) c[i] = a[i] / b[i];
}
void k(void) {
  for (long i = 0; i < N; i++)
    for (long j = 0; j < i / 16; j++) a[i] -= b[j] * c[j];
}
"""


def trip_counts(folder: str, repeats: int) -> Line:
    """The same nests with a million and with a billion iterations a loop.

    With a hundred, printed beside it, everything fits in the caches and less has to be asked.
    """
    seconds = []
    for count in (100, 1_000_000, 1_000_000_000):
        path = os.path.join(folder, f"trips{count}.c")
        Path(path).write_text(f"#define N {count}L\n{NESTS}", encoding="ascii")
        cost = measure(Request(path, FlagFinder().flags(path)), 3 * repeats)
        print(f"  N = {count}: {1000 * cost.analysis_s:.2f} ms")
        seconds.append(cost.analysis_s)
    return Line("e", "N = 1e9 / N = 1e6", "four nests", seconds[2] / seconds[1], TRIPS_TARGET)


def main() -> int:
    """Measures everything that there are files for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--polybench", metavar="FOLDER")
    parser.add_argument(
        "--cxx", nargs="*", default=[], metavar="'FILE FLAGS'", help="large C++ files"
    )
    parser.add_argument("--dense", nargs="*", default=[], metavar="FILE", help="dense C files")
    parser.add_argument("--repeats", type=int, default=7)
    given = parser.parse_args()
    cxx = [request_of(text) for text in given.cxx]
    with tempfile.TemporaryDirectory() as folder:
        generated = os.path.join(folder, "dense300.c")
        Path(generated).write_text(dense_source(300), encoding="ascii")
        plain = [Request(path, FlagFinder().flags(path)) for path in (*given.dense, generated)]
        lines = [
            with_headers(given.polybench, cxx, given.repeats),
            dense(generated, given.dense, given.repeats),
            start(str(SMALL), given.repeats),
            memory([*cxx, *plain]),
            trip_counts(folder, given.repeats),
        ]
    print("\n| | measured | of | result | target | |\n| --- | --- | --- | --: | --: | --- |")
    for line in lines:
        value = "" if line.value is None else f"{line.value:.2f} {line.unit}"
        target = f"{line.target:g} {line.unit}"
        print(
            f"| {line.letter} | {line.what} | {line.detail} | {value} | {target} | {line.verdict} |"
        )
    return 0 if all(line.verdict == "pass" for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
