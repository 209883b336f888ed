"""Lines over every link against the truth: errors, stated intervals and cost of the replay.

    python benchmarks/traffic_accuracy.py vectors traffic_cases.json
    python benchmarks/traffic_accuracy.py polybench PolyBenchC-4.2.1 --size MEDIUM --keep FILE
    python benchmarks/traffic_accuracy.py sources FILES... --flags="FLAGS"

Each function is counted in the ways that the budget decides between: through all sets, through
eight of 64 classes of sets, as a report has it (``report``, in closed form where a replay is beyond
the budget), and as a hint has it (``hint``, with milliseconds a loop). The truth of ``vectors`` and
``polybench`` is cachegrind's count, of ``sources`` that of the tests' simulator of every access, or
the replay through all sets where that would take more than ``--simulate`` touches; ``--sample N``
takes every N-th function. PolyBench's arrays lie as a report assumes, not where the program had
them.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace
from polybench_traffic import Caches, Case, case_of, kernel_files, measure
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.compile_flags.flags import Flags
from rooflint.facts import facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Function
from rooflint.machine import CacheLevel, builtin_dir, find_machine
from rooflint.memory import FunctionTraffic, Rates
from rooflint.memory.engine import (
    EXACT_BUDGET,
    HINT_BUDGET,
    REPORT_BUDGET,
    ClosedFormReason,
    NestReplays,
    ReplayMemo,
    ReplayRequest,
)
from rooflint.memory.engine.budget import CLASS_MODULUS, FEWEST_CLASSES, WorkLimits
from rooflint.memory.engine.counting import NestProgram, nest_program, nests_of
from rooflint.memory.engine.samples import CallSequence
from rooflint.memory.line_counts import CountedLines
from rooflint.replay import AccessProgram, ReplayLevel, ReplaySettings, ReplayStatus, native
from rooflint.replay.lowering import lower_function
from rooflint.replay.placement import page_layout
from rooflint.replay.prediction import predicted_work
from rooflint.replay.program import ProgramNode
from rooflint.replay.repeats import parts_of
from rooflint.scenario.resolution import resolve
from rooflint.scenario.sizes import Sizes

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from simulator import Level, Policy, line_passes, simulate, walks
from simulator.cachegrind import Shape

COLD = CallSequence(runs=1, cold=True)
LINE_BYTES = 64
WAYS = ("all sets", "classes", "windows", "report", "hint")
VECTORS_BASE = 1 << 30
REPLAY_LIMIT = 300_000_000
"""Touches of a truth by replay: 5 s."""
HIERARCHIES = {
    "32K/8 + 256K/8": Caches(Shape(32768, 8), Shape(262144, 8)),
    "48K/12 + 1M/16": Caches(Shape(49152, 12), Shape(1048576, 16)),
}
HEAD = (
    "way",
    "rows",
    "error: median / p90",
    "within 5 %",
    "interval holds",
    "half-width",
    "ms: median / p90 / most",
    "methods",
)
LEAST_LINES = {"vectors": 500, "polybench": 15_000, "sources": 500}
"""Rows of fewer lines are not rows: code and stack lines decide them."""


class Count(NamedTuple):
    """Lines into one level by one way of counting; ``low`` and ``high`` None: no interval."""

    way: str
    method: str
    lines: float
    low: float | None
    high: float | None
    milliseconds: float


class Row(NamedTuple):
    """One function at one level of one hierarchy."""

    name: str
    caches: str
    level: int
    truth: float
    counts: tuple[Count, ...]


class Subject(NamedTuple):
    """A function at given sizes; ``truth``: lines into both levels, from the levels' shapes."""

    name: str
    function: Function
    values: Mapping[str, int]
    layout: Mapping[str, int] | None
    truth: Callable[[str, Sequence[ReplayLevel]], Sequence[float] | None]
    shapes: Mapping[str, Sequence[Shape]]


def levels_of(shapes: Iterable[Shape]) -> list[ReplayLevel]:
    """The levels of a replay."""
    return [
        ReplayLevel(each.size_bytes // each.line_bytes // each.ways, each.ways) for each in shapes
    ]


def program_of(subject: Subject) -> NestProgram | ClosedFormReason:
    """The accesses, with arrays where the subject has them."""
    facts = facts_of(subject.function)
    if subject.layout is None:
        return nest_program(subject.function, facts, subject.values)
    program = lower_function(subject.function, subject.layout, subject.values)
    return NestProgram(program=program, kernels=tuple([0] * len(program.references)), number=1)


def fewest_classes_budget(program: NestProgram, levels: Sequence[ReplayLevel]) -> int:
    """The budget at which eight classes of sets are replayed and no more."""
    work = predicted_work(program.program, LINE_BYTES, levels[0].ways)
    if work is None:
        return EXACT_BUDGET
    return int(work.steps + work.touches * (FEWEST_CLASSES + 1) / CLASS_MODULUS)


def counted_by(
    way: str, count: Callable[[], CountedLines | ClosedFormReason], number: int
) -> list[Count]:
    """One count a level; none where it was refused."""
    begin = time.process_time()
    found = count()
    spent = 1000 * (time.process_time() - begin)
    if isinstance(found, ClosedFormReason):
        return []
    counts: list[Count] = []
    for link in found.links[:number]:
        intervals = [each.interval for each in link]
        low = high = None
        if all(each is not None for each in intervals):
            low = sum([each.low for each in intervals if each is not None])
            high = sum([each.high for each in intervals if each is not None])
        lines = sum([each.incoming for each in link])
        counts.append(Count(way, found.method.value, lines, low, high, spent))
    return counts


def report_lines(subject: Subject, shapes: Sequence[Shape], budget: int) -> CountedLines:
    """As a report counts them on a machine with these caches."""
    machine = find_machine("generic-2level", (builtin_dir(),))
    caches = tuple(
        [
            CacheLevel(
                level=f"L{number + 1}",
                size_kib=each.size_bytes / 1024,
                ways=each.ways,
                holds="noninclusive",
            )
            for number, each in enumerate(shapes)
        ]
    )
    rates = Rates(replace(machine, caches=caches), 1)
    function, facts = subject.function, facts_of(subject.function)
    request = ReplayRequest(function=function, budget=budget, memo=ReplayMemo())
    arrays = {array.name: array for array in function.arrays}
    traffic = FunctionTraffic(
        facts,
        arrays,
        Sizes({}, subject.values),
        LINE_BYTES,
        replays=NestReplays(request, facts, subject.values, LINE_BYTES),
    )
    return traffic.counted(rates)


def rows_of(
    subject: Subject, ways: Sequence[str], budget: int, windows_budget: int
) -> Iterator[Row]:
    """Every level of every hierarchy; ``budget`` of a report."""
    program = program_of(subject)
    if isinstance(program, ClosedFormReason):
        print(f"{subject.name}: {program.reason}", file=sys.stderr)
        return
    for caches, shapes in subject.shapes.items():
        levels = tuple(levels_of(shapes))
        truth = subject.truth(caches, levels)
        if truth is None:
            continue
        budgets = {
            "all sets": EXACT_BUDGET,
            "classes": fewest_classes_budget(program, levels),
            "windows": windows_budget,
        }
        by_way: list[list[Count]] = []
        for way in ways:
            if way in budgets:
                limits = WorkLimits(budgets[way], budgets[way], budgets[way])
                count = partial(program.counted, {}, levels, LINE_BYTES, COLD, limits)
                by_way.append(counted_by(way, count, len(levels)))
            elif subject.layout is None:
                own = HINT_BUDGET if way == "hint" else budget
                found = counted_by(way, partial(report_lines, subject, shapes, own), len(levels))
                loops = len(facts_of(subject.function)) if way == "hint" else 1
                by_way.append(
                    [each._replace(milliseconds=each.milliseconds / loops) for each in found]
                )
        for level, lines in enumerate(truth):
            counts = tuple([each[level] for each in by_way if each])
            yield Row(subject.name, caches, level, lines, counts)


def vectors(file: Path) -> Iterator[Subject]:
    """The cases of the vectors."""
    data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    shapes = {
        name: [Shape(each["bytes"], each["ways"]) for each in levels]
        for name, levels in data["hierarchies"].items()
    }
    for case in data["cases"]:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "k.c")
            source.write_text(case["source"], encoding="utf-8")
            units = extract(Request(str(source), Flags("c", None, ()))).functions
        [function] = [each.function for each in units if each.function.name == case["id"]]

        def truth(
            caches: str, _levels: Sequence[ReplayLevel], case: dict[str, Any] = case
        ) -> Sequence[float]:
            lines = case["lines"][caches]
            return [float(sum(lines[f"L{number}"].values())) for number in (1, 2)]

        layout = {name: VECTORS_BASE + offset for name, offset in case["layout"].items()}
        yield Subject(f"{case['id']} {case['family']}", function, {}, layout, truth, shapes)


def polybench(
    root: Path, size: str, keep: Path | None, only: Sequence[str], *, replayed: bool
) -> Iterator[Subject]:
    """The kernels of PolyBench, measured once, or ``replayed`` through eight classes of sets."""
    kept: dict[str, Any] = {}
    if keep is not None and keep.exists():
        kept = json.loads(keep.read_text(encoding="utf-8"))
    for file in kernel_files(root):
        if only and file.stem not in only:
            continue
        found: dict[str, Sequence[float]] = {}
        addresses = [0] * 20  # unused: arrays lie as a report assumes
        for name, caches in HIERARCHIES.items():
            if replayed:
                break
            known = kept.setdefault(f"{file.stem} {size} {caches.l1} {caches.l2}", {})
            if "cachegrind" not in known:
                with tempfile.TemporaryDirectory() as folder:
                    lines, addresses = measure(root, file, size, caches, Path(folder))
                known.update(cachegrind=list(lines), addresses=addresses)
                if keep is not None:
                    keep.write_text(json.dumps(kept), encoding="utf-8")
            found[name] = known["cachegrind"][:2]
        case = case_of(root, file, size, addresses)

        def truth(
            caches: str,
            levels: Sequence[ReplayLevel],
            case: Case = case,
            found: Mapping[str, Sequence[float]] = found,
        ) -> Sequence[float] | None:
            return found.get(caches) or lines_by_classes(case, levels)

        yield Subject(file.stem, case.function, case.values, None, truth, HIERARCHIES)


def lines_by_classes(case: Case, levels: Sequence[ReplayLevel]) -> Sequence[float] | None:
    """Of all iterations, through eight classes of sets."""
    program = nest_program(case.function, facts_of(case.function), case.values)
    assert isinstance(program, NestProgram)
    budget = fewest_classes_budget(program, levels)
    limits = WorkLimits(budget, budget, budget)
    counts = program.counted({}, tuple(levels), LINE_BYTES, COLD, limits)
    if not isinstance(counts, CountedLines):
        return None
    return [sum([each.incoming for each in link]) for link in counts.links]


def sources(files: Sequence[Path], flags: Sequence[str], simulate_most: int) -> Iterator[Subject]:
    """All functions of some files, at the sizes that the source gives or a role suggests."""
    finder = FlagFinder(extra=["gcc", *flags])
    for file in files:
        for source in extract(Request(str(file), finder.flags(str(file)))).functions:
            function, facts = source.function, facts_of(source.function)
            if not facts:
                continue
            values = resolve(facts, function, ()).values
            alone = nests_of(function, facts)

            def truth(
                _caches: str,
                levels: Sequence[ReplayLevel],
                alone: Function = alone,
                values: Mapping[str, int] = values,
            ) -> Sequence[float] | None:
                return exact_lines(alone, values, levels, simulate_most)

            name = f"{file.stem}:{function.name}"
            yield Subject(name, function, values, None, truth, HIERARCHIES)


def exact_lines(
    function: Function, values: Mapping[str, int], levels: Sequence[ReplayLevel], most: int
) -> Sequence[float] | None:
    """Lines of every single access, by the compiled replay where simulation would take too long."""
    layout = page_layout(function, values)
    program = lower_function(function, layout, values)
    work = predicted_work(played_whole(program), LINE_BYTES, levels[0].ways)
    kernel = native.library()
    if work is None or kernel is None:
        return None
    if work.total > most:
        counts = native.replay(program, levels, ReplaySettings(limit=REPLAY_LIMIT), kernel)
        if counts.status is not ReplayStatus.OK:
            return None
        references = range(len(program.references))
        return [
            float(sum([counts.lines(0, level, each).misses for each in references]))
            for level in range(len(levels))
        ]
    trace = walks(function, layout, values, Policy(promote=True))
    shapes = [Level(f"L{n}", each.sets, each.ways) for n, each in enumerate(levels)]
    try:
        return [float(each.misses) for each in simulate(line_passes(trace, LINE_BYTES), shapes)]
    except LookupError as error:
        print(f"{function.name}: {error}", file=sys.stderr)
        return None


def played_whole(program: AccessProgram) -> AccessProgram:
    """The same program where a simulation plays each of the iterations that are alike."""
    loops = {at for at in nodes_of(program.code, program.root)
             if program.code[at] == ProgramNode.REPEAT}  # fmt: skip
    code = [int(ProgramNode.LOOP) if at in loops else each for at, each in enumerate(program.code)]
    return program._replace(code=code)


def nodes_of(code: Sequence[int], at: int) -> Iterator[int]:
    """The positions of a node and of all nodes in it."""
    yield at
    for each in parts_of(code, at):
        yield from nodes_of(code, each)


def quantile(values: Sequence[float], share: float) -> float:
    """The value that ``share`` of all do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def summary(rows: Sequence[Row], way: str) -> str:
    """Errors, intervals and cost of one way of counting; per function for the cost."""
    own = [(row, each) for row in rows for each in row.counts if each.way == way]
    if not own:
        return f"| {way} | 0 |"
    errors = [abs(each.lines - row.truth) / row.truth for row, each in own]
    held = [
        each.low <= row.truth <= each.high
        for row, each in own
        if each.low is not None and each.high is not None
    ]
    halves = [
        (each.high - each.low) / 2 / row.truth
        for row, each in own
        if each.low is not None and each.high is not None
    ]
    spent = list({(row.name, row.caches): each.milliseconds for row, each in own}.values())
    methods = sorted({each.method for _, each in own})
    shares = ", ".join(f"{m} {sum(e.method == m for _, e in own)}" for m in methods)
    cells = [
        way,
        str(len(own)),
        f"{100 * statistics.median(errors):.3f} / {100 * quantile(errors, 0.9):.2f} %",
        f"{100 * sum(e <= 0.05 for e in errors) / len(errors):.1f} %",
        f"{100 * sum(held) / len(held):.1f} % of {len(held)}" if held else "-",
        f"{100 * statistics.median(halves):.2f} %" if halves else "-",
        f"{statistics.median(spent):.1f} / {quantile(spent, 0.9):.0f} / {max(spent):.0f}",
        shares,
    ]
    return f"| {' | '.join(cells)} |"


def misses_of_bars(rows: Iterable[Row], off: float) -> Iterator[str]:
    """Rows that are off by more than ``off`` and say nothing of it."""
    for row in rows:
        for each in row.counts:
            if abs(each.lines - row.truth) <= off * row.truth:
                continue
            holds = (
                each.low is not None
                and each.high is not None
                and (each.low <= row.truth <= each.high)
            )
            if not holds:
                bar = "no interval" if each.low is None else f"{each.low:.0f} to {each.high:.0f}"
                level = f"{row.name}, {row.caches}, L{row.level + 1}"
                error = f"{each.lines:.0f} of {row.truth:.0f} ({each.lines / row.truth - 1:+.1%})"
                yield f"{level}, {each.way} ({each.method}): {error}, {bar}"


def parsed() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("vectors")
    one.add_argument("files", type=Path, metavar="FILE")
    one = commands.add_parser("polybench")
    one.add_argument("files", type=Path, metavar="DIR")
    one.add_argument("--size", default="MEDIUM")
    one.add_argument("--keep", type=Path, metavar="FILE", help="remember measurements here")
    one.add_argument("--replayed", action="store_true", help="truth by a replay, for LARGE")
    one.add_argument("--kernel", action="append", default=[], help="only these; repeatable")
    one = commands.add_parser("sources")
    one.add_argument("files", type=Path, nargs="+", metavar="FILE")
    one.add_argument("--flags", default="", help="of the compiler")
    one.add_argument("--simulate", type=int, default=3_000_000, metavar="TOUCHES")
    one.add_argument("--sample", type=int, default=1, metavar="N")
    for each in commands.choices.values():
        each.add_argument("--way", action="append", choices=WAYS, help="only these; repeatable")
        each.add_argument("--budget", type=int, default=REPORT_BUDGET, help="of a report")
        each.add_argument("--windows", type=int, default=2_000_000, help="budget of windows")
        each.add_argument("--off", type=float, default=0.01, help="name rows off by more, silently")
        each.add_argument("--rows", action="store_true", help="print every row")
    return parser.parse_args()


def main() -> int:
    """Prints a line for each way of counting, and the rows that no interval excuses."""
    options = parsed()
    if options.command == "vectors":
        subjects = vectors(options.files)
    elif options.command == "polybench":
        subjects = polybench(
            options.files,
            options.size,
            options.keep,
            options.kernel,
            replayed=options.replayed,
        )
    else:
        flags = options.flags.split()
        subjects = iter(list(sources(options.files, flags, options.simulate))[:: options.sample])
    ways = options.way or [each for each in WAYS if each != "hint"]
    rows = [
        row
        for subject in subjects
        for row in rows_of(subject, ways, options.budget, options.windows)
        if row.truth >= LEAST_LINES[options.command]
    ]
    if options.rows:
        for row in rows:
            for each in row.counts:
                print(
                    f"{row.name:32} {row.caches} L{row.level + 1} {each.way:9} {each.method:12} "
                    f"{row.truth:12.0f} {each.lines:12.0f} {each.lines / row.truth - 1:+8.2%} "
                    f"{each.milliseconds:8.1f} ms"
                )
    print(f"| {' | '.join(HEAD)} |\n|{' --- |' * len(HEAD)}")
    for way in ways:
        print(summary(rows, way))
    for line in misses_of_bars(rows, options.off):
        print(f"- {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
