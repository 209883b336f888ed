"""Lines into L1 and L2 by each PolyBench kernel: cachegrind, our simulator, analysis, replay.

    python benchmarks/polybench_traffic.py PolyBenchC-4.2.1 --size MEDIUM --jobs 2

compiles every kernel (gcc -O1 -fno-inline -DPOLYBENCH_TIME, which flushes the cache first), runs
it under valgrind's cachegrind, replays the accesses of its IR at the addresses the program used
through the LRU simulator of tests/simulator, and prints a table with the errors. ``--keep FILE``
remembers what was measured and simulated, so that only the analysis runs again; delete the file
after a change to the front end or to the simulator. ``--no-simulator`` leaves that column out.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from rooflint.compile_flags.flags import Flags
from rooflint.facts import facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Function
from rooflint.memory.hierarchy import CacheGeometry
from rooflint.memory.reuse import Reuse
from rooflint.memory.subnest_footprints import SubnestFootprints
from rooflint.replay import ReplayLevel, ReplaySettings, native
from rooflint.replay.lowering import lower_function

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from simulator import Level, Policy, lay_out, line_passes, simulate, walks
from simulator.cachegrind import Shape, compile_c, missing_tools, run

MIN_LINES = 15_000
COLUMNS = ("simulator", "error", "analysis", "error", "replay", "error")
STACK_BYTES = 0x1FFEFFF000
"""Where valgrind puts the stack, about: home of the arrays that a kernel declares itself."""
PRINT_ADDRESSES = """
#include <stdio.h>
void *__real_polybench_alloc_data(unsigned long long n, int elt_size);
void *__wrap_polybench_alloc_data(unsigned long long n, int elt_size)
{
  void *data = __real_polybench_alloc_data(n, elt_size);
  fprintf(stderr, "array %p\\n", data);
  return data;
}
"""


class Lines(NamedTuple):
    """Lines into the two levels, and what finding out took."""

    l1: float
    l2: float
    seconds: float = 0.0


class Case(NamedTuple):
    """One kernel at one size: its IR, the sizes and the addresses as the program has them."""

    name: str
    function: Function
    values: dict[str, int]
    layout: dict[str, int]


class Caches(NamedTuple):
    """The two levels."""

    l1: Shape
    l2: Shape

    @property
    def levels(self) -> tuple[Level, Level]:
        """As cachegrind has them: the second level knows nothing of the first."""
        first, second = (
            Level(name, s.size_bytes // s.line_bytes // s.ways, s.ways, s.line_bytes)
            for name, s in zip(("L1", "L2"), self, strict=True)
        )
        return first, second


Known = dict[str, list[Any]]
"""What ``--keep`` stores of one kernel: its measured lines, addresses, simulated lines."""


@dataclass
class Row:
    """What the table says of one kernel; ``problem`` when something failed."""

    name: str
    size: str
    cachegrind: Lines | None = None
    simulator: Lines | None = None
    analysis: Lines | None = None
    replay: Lines | None = None
    problem: str = ""


def analysed(case: Case, caches: Caches) -> Lines:
    """The analysis of reports, arrays at the addresses of the program."""
    begin = time.process_time()
    arrays = {array.name: array for array in case.function.arrays}
    facts = facts_of(case.function)
    analysis = Reuse(SubnestFootprints(arrays, case.values, caches.l1.line_bytes, case.layout))
    found = [
        sum(
            growth.load + growth.allocate
            for kernel in analysis.misses(facts, CacheGeometry(level.sets, level.ways))
            for growth in kernel.values()
        )
        for level in caches.levels
    ]
    return Lines(found[0], found[1], time.process_time() - begin)


def replayed(case: Case, caches: Caches) -> Lines:
    """The replay of reports through all sets, arrays at the addresses of the program."""
    begin = time.process_time()
    kernel = native.library()
    if kernel is None:
        sys.exit("the replay is not compiled: install a C compiler and Rooflint again")
    program = lower_function(case.function, case.layout, case.values)
    levels = [ReplayLevel(level.sets, level.ways) for level in caches.levels]
    settings = ReplaySettings(line_bytes=caches.l1.line_bytes, limit=1 << 40)
    counts = native.replay(program, levels, settings, kernel)
    references = range(len(program.references))
    found = [sum(counts.lines(0, level, each).misses for each in references) for level in (0, 1)]
    return Lines(found[0], found[1], time.process_time() - begin)


def kernel_files(root: Path) -> list[Path]:
    """PolyBench's own list."""
    listed = (root / "utilities" / "benchmark_list").read_text(encoding="utf-8").split()
    return [root / name for name in listed]


def c_flags(root: Path, file: Path, size: str) -> tuple[str, ...]:
    """Include paths and macros."""
    return (
        f"-I{root / 'utilities'}",
        f"-I{file.parent}",
        f"-D{size}_DATASET",
        "-DPOLYBENCH_TIME",
    )


def measure(
    root: Path, file: Path, size: str, caches: Caches, folder: Path
) -> tuple[Lines, list[int]]:
    """cachegrind's counts of ``kernel_*``, and the arrays' addresses in their order."""
    begin = time.perf_counter()
    wrapper, program = folder / "wrapper.c", folder / "program"
    wrapper.write_text(PRINT_ADDRESSES, encoding="utf-8")
    flags = (*c_flags(root, file, size), "-Wl,--wrap=polybench_alloc_data")
    compile_c([root / "utilities" / "polybench.c", file, wrapper], program, flags)
    misses, printed = run(program, caches.l1, caches.l2, seconds=3600)
    own = [counts for name, counts in misses.items() if name.startswith("kernel_")]
    lines = Lines(sum(c.d1 for c in own), sum(c.ll for c in own), time.perf_counter() - begin)
    return lines, [int(text, 16) for text in re.findall(r"^array 0x(\w+)$", printed, re.M)]


def case_of(root: Path, file: Path, size: str, addresses: list[int]) -> Case:
    """The kernel as the front end sees it, with the sizes and addresses of the program."""
    flags = c_flags(root, file, size)
    unit = extract(Request(str(file), Flags("c", None, flags)))
    [function] = [
        source.function for source in unit.functions if source.function.name.startswith("kernel_")
    ]
    main = file.read_text(encoding="utf-8").partition("int main")[2]
    macros = macro_values(file, flags)
    variables = {
        name: macros[macro] for name, macro in re.findall(r"\bint\s+(\w+)\s*=\s*(\w+)\s*;", main)
    }
    declared = re.findall(r"POLYBENCH_\dD_ARRAY_DECL\s*\(\s*(\w+)", main)
    places = dict(zip(declared, addresses, strict=False))  # init_array may have its own
    values: dict[str, int] = {}
    layout: dict[str, int] = {}
    for parameter, argument in zip(function.parameters, call_arguments(main), strict=True):
        array = re.match(r"POLYBENCH_ARRAY\s*\(\s*(\w+)\s*\)", argument)
        if array:
            layout[parameter.name] = places[array[1]]
        elif argument in variables:
            values[parameter.name] = variables[argument]
    for name, address in lay_out(function, values).items():
        layout.setdefault(name, STACK_BYTES - (1 << 20) + address)
    return Case(file.stem, function, values, layout)


def macro_values(file: Path, flags: Iterable[str]) -> dict[str, int]:
    """All macros that are plain numbers."""
    command = ["gcc", "-E", "-dM", *flags, str(file)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {n: int(v) for n, v in re.findall(r"^#define (\w+) (\d+)$", text, re.M)}


def call_arguments(main: str) -> list[str]:
    """The arguments that ``main`` hands to the kernel."""
    call = re.search(r"kernel_\w+\s*\(", main)
    assert call is not None
    arguments, depth = [""], 1
    for letter in main[call.end() :]:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if not depth:
            break
        if letter == "," and depth == 1:
            arguments.append("")
        else:
            arguments[-1] += letter
    return [argument.strip() for argument in arguments]


def simulated(case: Case, caches: Caches) -> Lines:
    """The simulator over the IR's trace.

    No access stays in a register: the arrays are plain pointers, so any store may change any load.
    gcc loads the element that a statement updates last.
    """
    begin = time.process_time()
    trace = walks(case.function, case.layout, case.values, Policy(updated_last=True))
    first, second = simulate(line_passes(trace, caches.l1.line_bytes), caches.levels)
    return Lines(first.misses, second.misses, time.process_time() - begin)


def row_of(
    file: Path, root: Path, size: str, caches: Caches, simulate_it: bool, known: Known
) -> tuple[Row, Known]:
    """One kernel measured and simulated, unless ``known`` has it; what to remember beside it."""
    row = Row(file.stem, size)
    found = dict(known)
    try:
        if "cachegrind" not in found:
            with tempfile.TemporaryDirectory() as folder:
                lines, addresses = measure(root, file, size, caches, Path(folder))
            found.update(cachegrind=list(lines), addresses=addresses)
        row.cachegrind = Lines(*found["cachegrind"])
        case = case_of(root, file, size, found["addresses"])
        if simulate_it and "simulator" not in found:
            found["simulator"] = list(simulated(case, caches))
        if simulate_it:
            row.simulator = Lines(*found["simulator"])
    except subprocess.CalledProcessError as error:
        row.problem = f"{error}\n{error.stderr}"
    except Exception as error:  # one kernel must not end the table
        row.problem = f"{type(error).__name__}: {error}"
    return row, found


def table(rows: Iterable[Row]) -> str:
    """Markdown; errors against cachegrind in per cent."""
    head = ("kernel", "size", "level", "cachegrind", *COLUMNS, "s", "ms")
    lines = [head, ("---", "---", "---", *["--:"] * 9)]
    for row in rows:
        if row.cachegrind is None:
            lines.append((row.name, row.size, "", "failed", *[""] * 8))
            continue
        for level in ("l1", "l2"):
            truth = getattr(row.cachegrind, level)
            cells: list[str] = []
            for other in (row.simulator, row.analysis, row.replay):
                value = None if other is None else getattr(other, level)
                cells += ["", ""] if value is None else [f"{value:.0f}", percent(value, truth)]
            seconds = [x.seconds for x in (row.cachegrind, row.simulator) if x is not None]
            spent = "/".join(f"{s:.1f}" for s in seconds) if level == "l1" else ""
            replay = f"{1000 * row.replay.seconds:.0f}" if level == "l1" and row.replay else ""
            lines.append((row.name, row.size, level.upper(), f"{truth:.0f}", *cells, spent, replay))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def percent(value: float, truth: float) -> str:
    """The signed relative error."""
    return f"{100 * (value - truth) / truth:+.2f} %" if truth else "-"


def summary(rows: Iterable[Row], what: str) -> str:
    """Median, 90th percentile and worst absolute error of the rows large enough to tell."""
    errors = sorted(
        (abs(getattr(value, level) - truth) / truth, f"{row.name} {row.size} {level.upper()}")
        for row in rows
        if row.cachegrind is not None and (value := getattr(row, what)) is not None
        for level in ("l1", "l2")
        if (truth := getattr(row.cachegrind, level)) >= MIN_LINES
    )
    if not errors:
        return f"{what}: no row of {MIN_LINES} lines or more"
    ninth = errors[min(len(errors) - 1, int(0.9 * len(errors)))][0]
    worst = ", ".join(f"{name} {100 * error:.2f} %" for error, name in errors[:-4:-1])
    return (
        f"{what}: {len(errors)} rows of at least {MIN_LINES} lines, median error "
        f"{100 * statistics.median(e for e, _ in errors):.2f} %, "
        f"90th percentile {100 * ninth:.2f} %; worst {worst}"
    )


def shape(text: str) -> Shape:
    """``32768,8,64``."""
    size, ways, line = map(int, text.split(","))
    return Shape(size, ways, line)


def parsed() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=Path, metavar="DIR", help="PolyBenchC-4.2.1")
    parser.add_argument("--size", action="append", help="MINI, SMALL, MEDIUM, ...; repeatable")
    parser.add_argument("--kernel", action="append", help="only these; repeatable")
    parser.add_argument("--l1", type=shape, default="32768,8,64", help="bytes,ways,line")
    parser.add_argument("--l2", type=shape, default="262144,8,64", help="bytes,ways,line")
    parser.add_argument("--no-simulator", action="store_true")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="remember measurements here")
    parser.add_argument("--jobs", type=int, default=1)
    return parser.parse_args()


def main() -> int:
    """Measures, simulates, analyses and prints; 1 when a kernel failed."""
    options = parsed()
    if tools := missing_tools():
        print(f"needs {tools}", file=sys.stderr)
        return 2
    root = options.root.resolve()
    caches = Caches(options.l1, options.l2)
    files = [f for f in kernel_files(root) if not options.kernel or f.stem in options.kernel]
    kept: dict[str, Known] = {}
    if options.keep and options.keep.exists():
        kept = json.loads(options.keep.read_text(encoding="utf-8"))
    rows: list[Row] = []
    for size in options.size or ["MINI"]:
        keys = [f"{file.stem} {size} {caches.l1} {caches.l2}" for file in files]
        measured = partial(
            row_of, root=root, size=size, caches=caches, simulate_it=not options.no_simulator
        )
        with ProcessPoolExecutor(options.jobs) as pool:
            work = [
                pool.submit(measured, file, known=kept.get(key, {}))
                for file, key in zip(files, keys, strict=True)
            ]
            for file, key, job in zip(files, keys, work, strict=True):
                row, kept[key] = job.result()
                if options.keep:
                    options.keep.write_text(json.dumps(kept), encoding="utf-8")
                if not row.problem:
                    case = case_of(root, file, size, kept[key]["addresses"])
                    row.analysis = analysed(case, caches)
                    row.replay = replayed(case, caches)
                rows.append(row)
    print(table(rows))
    for what in ("simulator", "analysis", "replay"):
        print(f"\n{summary(rows, what)}")
    for row in rows:
        if row.problem:
            print(f"\n{row.name} {row.size}: {row.problem}", file=sys.stderr)
    return 1 if any(row.problem for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
