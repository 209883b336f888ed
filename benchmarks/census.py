"""Every loop of real projects accounted for: ``census.py FOLDER...``, a Markdown table on stdout.

For each file the loop keywords that a separate lexer finds must be exactly the loops analysed plus
those refused plus those inside macro bodies: the same places, not only the same number. Exits with
1 when a loop is lost, a file crashes or hangs, or the program reports an internal error.
"""

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from bare_parse import parse_seconds, skipped
from loop_lexer import loop_keywords
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.compile_flags.source_files import source_files
from rooflint.facts import facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Loop, Reason, Unit, walk
from rooflint.ir.reasons import heading
from rooflint.workers.dialogue import Dialogue
from rooflint.workers.limits import Failure, Limits
from rooflint.workers.pool import Workers

Place = tuple[int, int]
SLOW_S = 5
OF_CALLS = ("lambda", "algorithm", "inlined")
"""Forms of loops that stand at a call, without a keyword there."""


@dataclass
class Count:
    """Sums over files; ``problems`` are lines for a person to look at."""

    files: int = 0
    failed: int = 0
    lines: int = 0
    keywords: int = 0
    analysed: int = 0
    refused: int = 0
    in_macros: int = 0
    macro_uses: int = 0
    calls: int = 0
    goto_loops: int = 0
    functions: int = 0
    kernels: int = 0
    with_call: int = 0
    with_access: int = 0
    uncounted: int = 0
    loops: int = 0
    own_s: float = 0
    bare_s: float = 0
    reasons: Counter[str] = field(default_factory=Counter)
    gaps: Counter[str] = field(default_factory=Counter)
    slow: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def add(self, other: "Count") -> None:
        """Adds another count to this one."""
        for name in self.__dataclass_fields__:
            mine = getattr(self, name)
            if isinstance(mine, list):
                mine += getattr(other, name)
            elif isinstance(mine, Counter):
                mine.update(getattr(other, name))
            else:
                setattr(self, name, mine + getattr(other, name))


def timed_extract(request: Request) -> tuple[Unit, float]:
    """In the child: the front end's answer and its CPU seconds."""
    begin = time.process_time()
    unit = extract(request)
    return unit, time.process_time() - begin


def timed_parse(request: Request) -> float:
    """In the child: CPU seconds of the parse alone."""
    return parse_seconds(request)


def skipped_ranges(question: tuple[Request, str]) -> list[tuple[int, int]]:
    """In the child: what the preprocessor leaves out."""
    return skipped(*question)


def take_census(folder: str, limits: Limits, bare: bool) -> Count:
    """All source files of one project."""
    finder = FlagFinder()
    requests = [Request(path, finder.flags(path)) for path in source_files([folder]).files]
    total = Count()
    units: list[tuple[Request, Unit]] = []
    timed = Dialogue[Request, tuple[Unit, float]](Request, tuple[Unit, float])
    with Workers(timed_extract, limits, timed, 2) as workers:
        for request, answer in workers.analyse_all(requests):
            total.files += 1
            if isinstance(answer, Failure):
                total.failed += 1
                total.problems.append(f"{request.path}: {answer.kind}: {answer.reason}")
                continue
            unit, seconds = answer
            total.own_s += seconds
            if seconds > SLOW_S:
                total.slow.append(f"{request.path}: {seconds:.1f} s")
            units.append((request, unit))
    questions = [(request, unit.headers) for request, unit in units]
    ranges = Dialogue[tuple[Request, str], list[tuple[int, int]]](
        tuple[Request, str], list[tuple[int, int]]
    )
    with Workers(skipped_ranges, limits, ranges, 2) as workers:
        for (request, unit), (_, areas) in zip(units, workers.analyse_all(questions), strict=True):
            if isinstance(areas, Failure):
                total.problems.append(f"{request.path}: checking failed: {areas.reason}")
                continue
            total.add(check(request, unit, areas))
    if bare:
        times = Dialogue[Request, float](Request, float)
        with Workers(timed_parse, limits, times, 2) as parsers:
            for _, parsed in parsers.analyse_all([request for request, _ in units]):
                total.bare_s += 0 if isinstance(parsed, Failure) else parsed
    return total


def check(request: Request, unit: Unit, areas: list[tuple[int, int]]) -> Count:
    """One file: its keywords against its loops, place by place."""
    with open(request.path, "rb") as file:
        data = file.read()
    count = Count(lines=data.count(b"\n"), functions=len(unit.functions))
    keywords = loop_keywords(data, areas)
    code = {(k.line, k.column): k.word for k in keywords if not k.in_macro}
    analysed, calls = loop_places(unit)
    refused = {(r.line, r.column): r.reason for r in unit.refusals if r.reason.kind != "goto-loop"}
    count.goto_loops = len(unit.refusals) - len(refused)
    count.keywords, count.in_macros = len(keywords), len(keywords) - len(code)
    own = {place for place in analysed if place in code}
    count.analysed, count.macro_uses, count.calls = len(own), len(analysed) - len(own), calls
    count.refused = len(refused)
    count.reasons.update(shortened(reason) for reason in refused.values())
    for place in sorted(set(code) - own - set(refused)):
        count.problems.append(f"{where(request, place)}: '{code[place]}' is lost")
    for place in sorted(set(refused) - set(code)):
        count.problems.append(f"{where(request, place)}: refused, but no keyword in active code")
    for place in sorted(set(refused) & own):
        count.problems.append(f"{where(request, place)}: both analysed and refused")
    if unit.loops != len(analysed) + len(unit.refusals):
        there = f"{len(analysed)} analysed + {len(unit.refusals)} refused"
        count.problems.append(f"{request.path}: says {unit.loops} loops, but {there}")
    count.problems += [
        f"{request.path}:{d.line}: {d.message}"
        for d in unit.diagnostics
        if d.message.startswith("internal:")
    ]
    add_kernels(request, unit, count)
    return count


def where(request: Request, place: Place) -> str:
    """The place as a person can open it."""
    return f"{request.path}:{place[0]}:{place[1]}"


def loop_places(unit: Unit) -> tuple[set[Place], int]:
    """Where the file's own text has a loop statement of the IR, and how many calls are loops.

    Calls are those of algorithms, of functions that execute a lambda for each element, and of
    functions of another file whose loops are inlined; a macro may put them at a loop of its own.
    """
    found: dict[Place, str] = {}
    for source in unit.functions:
        for node in walk(source.function.body):
            if isinstance(node, Loop) and source.spans[node.origin].line:
                place = source.spans[node.origin][:2]
                if node.form not in OF_CALLS or place not in found:
                    found[place] = node.form
    statements = {place for place, form in found.items() if form not in OF_CALLS}
    return statements, len(found) - len(statements)


def add_kernels(request: Request, unit: Unit, count: Count) -> None:
    """Kernels, how many of them say that they leave something out, and why."""
    for source in unit.functions:
        loops = [node for node in walk(source.function.body) if isinstance(node, Loop)]
        count.loops += len(loops)
        count.uncounted += sum("trips(" in str(loop.trip_count) for loop in loops)
        try:
            facts = facts_of(source.function)
        except Exception as error:  # to be reported, whatever it is
            place = f"{request.path}:{source.span.line}"
            count.problems.append(f"{place}: facts: {type(error).__name__}: {error}")
            continue
        count.kernels += len(facts)
        for each in facts:
            reasons = {gap.reason for gap in each.not_covered}
            calls = {reason for reason in reasons if reason.kind == "call"}
            count.with_call += bool(calls)
            count.with_access += bool(reasons - calls)
            count.gaps.update({shortened(reason) for reason in reasons})


def shortened(reason: Reason) -> str:
    """The reason without the names of one program."""
    return heading(reason.kind).format("…", "…")


def table(counts: Iterable[tuple[str, Count]]) -> str:
    """The projects as a Markdown table."""
    head = (
        "project", "files", "lines", "keywords", "analysed", "refused", "in macros", "lost",
        "failed", "macro loops", "call loops", "goto loops", "kernels", "opaque call",
        "opaque access", "CPU s", "of bare parse",
    )  # fmt: skip
    rows = [head, ("---", *["--:"] * (len(head) - 1))]
    for name, c in counts:
        lost = c.keywords - c.analysed - c.refused - c.in_macros
        shares = [
            f"{100 * part / max(1, c.kernels):.0f} %" for part in (c.with_call, c.with_access)
        ]
        ratio = f"{c.own_s / c.bare_s:.2f}" if c.bare_s else ""
        rows.append(
            (name, *map(str, (c.files, c.lines, c.keywords, c.analysed, c.refused, c.in_macros,
             lost, c.failed, c.macro_uses, c.calls, c.goto_loops, c.kernels)),
             *shares, f"{c.own_s:.1f}", ratio)
        )  # fmt: skip
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main() -> int:
    """Runs the census and prints it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--seconds", type=float, default=60, help="time limit per file")
    parser.add_argument("--no-bare", action="store_true", help="do not time the parse alone")
    arguments = parser.parse_args()
    total = Count()
    counts = []
    for folder in arguments.folders:
        count = take_census(folder, Limits(arguments.seconds), not arguments.no_bare)
        counts.append((os.path.basename(os.path.normpath(folder)), count))
        total.add(count)
        print("\n".join(count.problems), file=sys.stderr)
    print(table([*counts, ("all", total)]))
    print("\nrefused, by reason\n")
    for reason, number in total.reasons.most_common():
        print(f"- {number}: {reason}")
    print("\nkernels with a gap, by reason\n")
    for reason, number in total.gaps.most_common(15):
        print(f"- {number}: {reason}")
    print(f"\nfiles of more than {SLOW_S} s\n")
    print("\n".join(f"- {line}" for line in total.slow) or "none")
    print(f"\nloops without a closed-form trip count: {total.uncounted} of {total.loops}")
    return 1 if total.problems else 0


if __name__ == "__main__":
    sys.exit(main())
