"""Loops of real projects: measured gains beside the lint's, and why they differ where they do.

    python benchmarks/corpus.py                     asks the lint anew, with the recorded times
    python benchmarks/corpus.py --measure           measures first, on this machine
    python benchmarks/corpus.py --half build        of one half of the loops: build or judge
    python benchmarks/corpus.py --write             puts the table into docs/gains.md

``gains/*.c`` has the loops, ``gains/measured.json`` the times with the machine and the compilers.
The lint prices with ``gains/machine.yaml``. An error has a cause: which of the two functions,
before and after the change as measured, the models price wrongly, or neither, where the lint's
edit is another one.
"""

import argparse
import contextlib
import io
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from corpus_loops import FLAGS, HERE, MEASURED, PRAGMAS, CorpusLoop, build, corpus, recorded
from pair_gains import Advisor, machine_at
from pair_times import Question, timed
from rooflint.cli.main import run

MACHINE: Final = HERE / "machine.yaml"
PAGE: Final = Path(__file__).parents[1] / "docs" / "gains.md"
BEGIN, END = "<!-- corpus -->\n", "<!-- end of corpus -->\n"
WITHIN: Final = 1.5
LOSES, PAYS = 0.95, 1.1


@dataclass(frozen=True)
class CorpusRow:
    """A loop at one size under one set of flags.

    before_ns, after_ns  measured, of a call
    said                 low and high of the lint's gain; None where it is silent
    guard                what keeps it silent
    models               seconds of a call that the models predict before and after, 0: unknown
    """

    loop: CorpusLoop
    data: str
    flags: str
    before_ns: float
    after_ns: float
    said: tuple[float, float] | None
    guard: str
    models: tuple[float, float] = (0.0, 0.0)

    @property
    def measured(self) -> float:
        """Time before over time after."""
        return self.before_ns / self.after_ns

    @property
    def error(self) -> float:
        """The nearest predicted gain over the measured one: 1 inside the range."""
        if self.said is None:
            return 1.0
        low, high = self.said
        return min(max(self.measured, low), high) / self.measured

    @property
    def loses(self) -> bool:
        """Whether the lint promises a gain where the change costs time."""
        return self.said is not None and self.said[0] > PAYS and self.measured < LOSES

    @property
    def is_off(self) -> bool:
        """Whether the gain is found, and said wrongly."""
        return self.said is not None and not 1 / WITHIN <= self.error <= WITHIN

    @property
    def is_missed(self) -> bool:
        """Whether the change pays and nothing is said."""
        return self.said is None and self.measured >= WITHIN

    @property
    def needs_cause(self) -> bool:
        """Whether the models have to say what they think of either function."""
        return self.is_off or self.is_missed or self.loses

    @property
    def cause(self) -> str:
        """Which price is wrong, for a row that is off."""
        before, after = self.models
        if not before or not after:
            return "no price of the change as written"
        high = before * 1e9 / self.before_ns
        low = after * 1e9 / self.after_ns
        names = []
        for name, factor in (("before", high), ("after", low)):
            if not 1 / 1.33 <= factor <= 1.33:
                names.append(f"{name} {'too dear' if factor > 1 else 'too cheap'}")
        if names:
            return ", ".join(names)
        off = before / after / self.measured
        same = 1 / WITHIN <= off <= WITHIN
        return "the lint's edit is another" if same else "both prices, a little"


def _seconds(source: Path, sizes: dict[str, int], command: Sequence[str]) -> float:
    """What the models predict of a call of the only function; 0 where they do not."""
    given = [word for name, value in sizes.items() for word in ("-D", f"{name}={value}")]
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    words = ["analyze", "--machine", str(MACHINE), "--compiler", command[0], "--format", "json"]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        status = run([*words, *given, str(source), "--", *command[1:]])
    if status:
        return 0.0
    out.seek(0)
    report = json.load(out)
    times = [each["time"] for each in report["verdicts"] if each["time"]]
    return float(sum(time["now_s"] or 0.0 for time in times))


def rows_of(loop: CorpusLoop) -> list[CorpusRow]:
    """What was measured of a loop, with what is said."""
    advisor = Advisor(machine_at(str(MACHINE)))
    found = []
    with tempfile.TemporaryDirectory() as scratch:
        before, after = Path(scratch) / "before.c", Path(scratch) / "after.c"
        before.write_text(loop.before, encoding="utf-8")
        after.write_text(loop.after, encoding="utf-8")
        for data, given in loop.sizes:
            sizes = loop.by_parameter(given)
            for label, flags in FLAGS.items():
                times = recorded().get(loop.name, {}).get(data, {}).get(label)
                if times is None:
                    continue
                command = (*flags, PRAGMAS)
                question = Question(loop.rule, loop.change, "/loop.c", loop.before, command)
                said, guard = advisor.asked(question, sizes)
                row = CorpusRow(
                    loop=loop,
                    data=data,
                    flags=label,
                    before_ns=times[0],
                    after_ns=times[1],
                    said=said,
                    guard=guard,
                )
                if row.needs_cause:
                    changed = (*command, *loop.after_flags)
                    models = _seconds(before, sizes, command), _seconds(after, sizes, changed)
                    row = replace(row, models=models)
                found.append(row)
    return found


def table(rows: Sequence[CorpusRow]) -> Iterator[str]:
    """A line for each loop and size: measured / predicted under each set of flags."""
    yield f"| loop | project | rule | data | {' | '.join(FLAGS)} |"
    yield "| --- | --- | --- | --- |" + " --: |" * len(FLAGS)
    cells: dict[tuple[str, str, str, str], dict[str, CorpusRow]] = {}
    for row in rows:
        key = (row.loop.name, row.loop.source[0], row.loop.rule, row.data)
        cells.setdefault(key, {})[row.flags] = row
    for key, found in cells.items():
        texts = [_cell(found[label]) if label in found else "" for label in FLAGS]
        yield f"| {' | '.join([*key, *texts])} |"


def _cell(row: CorpusRow) -> str:
    return f"{row.measured:.2f} / {_said(row.said)}"


def _said(said: tuple[float, float] | None) -> str:
    if said is None:
        return "–"
    low, high = said
    return f"{low:.1f}" if high < 1.1 * low else f"{low:.1f}–{high:.1f}"


def summary(rows: Sequence[CorpusRow]) -> Iterator[str]:
    """The shares of the page, then the errors by cause and those that promise too much."""
    for compiler in ("gcc", "clang"):
        for place in ("cache", "memory"):
            some = [
                row
                for row in rows
                if row.said
                and row.flags.startswith(compiler)
                and row.data.startswith("memory") == (place == "memory")
            ]
            near = [row for row in some if not row.is_off]
            if some:
                share = 100 * len(near) / len(some)
                yield (
                    f"* {compiler}, in {place}: {len(near)} of {len(some)} findings within"
                    f" {WITHIN}x ({share:.0f} %)"
                )
    pays = [row for row in rows if row.measured >= WITHIN]
    yield (
        f"* of {len(pays)} changes that gain {WITHIN}x or more,"
        f" {sum(row.said is not None for row in pays)} are found"
    )
    off = [row for row in rows if row.is_off]
    causes = Counter(row.cause for row in off)
    yield f"* causes of the {len(off)} errors: " + (
        ", ".join(f"{name} {count}" for name, count in causes.most_common()) or "none"
    )
    lost = [row for row in rows if row.loses]
    yield f"* promised more than {PAYS}x, measured less than {LOSES}x: {len(lost)}"


def details(rows: Sequence[CorpusRow]) -> Iterator[str]:
    """One line for each row that is off, loses, or pays and is not found."""
    for row in rows:
        if row.needs_cause:
            before, after = row.models
            kind = "LOSES" if row.loses else "missed" if row.is_missed else "off"
            yield (
                f"{kind:6}"
                f" {row.loop.rule} {row.loop.name:22} {row.data:16} {row.flags:9}"
                f" {row.measured:6.2f} / {_said(row.said):10}"
                f" models {before * 1e9 / row.before_ns:5.2f} {after * 1e9 / row.after_ns:5.2f}"
                f"  {row.guard or row.cause}"
            )


def measure(loops: Iterable[CorpusLoop], runs: int) -> None:
    """Builds, times and records loops."""
    kept = json.loads(MEASURED.read_text()) if MEASURED.exists() else {}
    for loop in loops:
        for label in FLAGS:
            with tempfile.TemporaryDirectory() as scratch:
                program = build(loop, label, Path(scratch))
                for data, sizes in loop.sizes:
                    times = [float(f"{each:.4g}") for each in timed(program, sizes.values(), runs)]
                    places = kept.setdefault("rows", {}).setdefault(loop.name, {})
                    places.setdefault(data, {})[label] = times
        print(loop.name, file=sys.stderr)
    kept["compilers"] = [_version("gcc"), _version("clang-19")]
    record(kept)


def record(kept: dict[str, object]) -> None:
    """Writes the times, a line for each loop and size."""
    rows = kept["rows"]
    assert isinstance(rows, dict)
    lines = [
        f"  {json.dumps(name)}: {{\n"
        + ",\n".join(f"   {json.dumps(data)}: {json.dumps(times)}" for data, times in sizes.items())
        + "\n  }"
        for name, sizes in sorted(rows.items())
    ]
    head = json.dumps({key: value for key, value in kept.items() if key != "rows"}, indent=1)
    body = ",\n".join(lines)
    MEASURED.write_text(f'{head[:-2]},\n "rows": {{\n{body}\n }}\n}}\n')


def _version(compiler: str) -> str:
    out = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    return out.stdout.splitlines()[0]


def write(rows: Sequence[CorpusRow]) -> None:
    """Puts figures and table into the page, between its marks."""
    text = PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    lines = [*summary(rows), "", *table(rows)]
    PAGE.write_text(head + BEGIN + "\n".join(lines) + "\n" + END + tail, encoding="utf-8")


def main() -> None:
    """Asks, and measures where told to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("names", nargs="*", help="loops, or files without .c; all unless given")
    add("--measure", action="store_true", help="measure first")
    add("--runs", type=int, default=2, help="of each program (2)")
    add("--half", choices=("build", "judge"), help="one half of the loops")
    add("--write", action="store_true", help="write the table into docs/gains.md")
    add("--workers", type=int, default=2, help="processes that ask (2)")
    given = parser.parse_args()
    loops = [
        loop
        for loop in corpus(given.names)
        if given.half is None or loop.judges == (given.half == "judge")
    ]
    if given.measure:
        measure(loops, given.runs)
    with ProcessPoolExecutor(given.workers) as pool:
        rows = [row for found in pool.map(rows_of, loops) for row in found]
    print("\n".join([*details(rows), "", *summary(rows)]))
    if given.write:
        write(rows)


if __name__ == "__main__":
    main()
