"""Changed functions compiled with gcc and run: what they print, against the originals."""

import argparse
import math
import os
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import NamedTuple

from changed_code import (
    Made,
    Refusal,
    Variant,
    chained,
    combined,
    legal,
    original,
    proposed,
    variants,
)
from rooflint.ir import Unit

FLAGS = ("-O2", "-ffp-contract=off", "-w")
THREADED = ("-O3", "-march=native", "-ffp-contract=off", "-w", "-fopenmp", "-foffload=disable")
CHECKED = ("-O1", "-g", *FLAGS[1:], "-fopenmp", "-foffload=disable",
           "-fsanitize=address,undefined", "-fno-sanitize-recover=all")  # fmt: skip
NUMBER = re.compile(rb"-?(?:0x[0-9a-f.]+p[+-]?\d+|inf|nan|\d+(?:\.\d+)?(?=\s))")


class Output(NamedTuple):
    """What a program prints, and why it does not."""

    text: bytes
    problem: str = ""


class Verdict(NamedTuple):
    """What became of a change; ``kind`` is what is counted."""

    kind: str
    title: str
    detail: str = ""
    text: str = ""


class Subject(NamedTuple):
    """A function that is compiled in several forms.

    finished   what is made of the text with all forms: with a ``main``, with other data
    sources    files compiled with it, and options of its own
    rounding   the relative difference that sums in another order may make
    """

    unit: Unit
    function: str
    finished: Callable[[str], str]
    sources: tuple[str, ...]
    rounding: float = 1e-8


class Bench:
    """Compiles and runs forms of one function."""

    def __init__(self, subject: Subject, folder: str, gcc: str) -> None:
        self.subject, self.folder, self.gcc = subject, folder, gcc
        self.number = count()

    def outputs(self, texts: Sequence[str], flags: Sequence[str]) -> list[Output]:
        """What each of several forms prints, all of them in one program if they compile."""
        unit, function = self.subject.unit, self.subject.function
        stem = os.path.join(self.folder, f"{Path(unit.path).stem}_{function}_{next(self.number)}")
        whole = self.subject.finished(combined(unit, function, texts))
        Path(f"{stem}.c").write_text(whole, encoding="utf-8", errors="surrogateescape")
        command = [self.gcc, *flags, f"{stem}.c", *self.subject.sources, "-lm", "-o", stem]
        done = subprocess.run(command, check=False, capture_output=True)
        if done.returncode and len(texts) == 1:
            first = next((x for x in done.stderr.decode().splitlines() if "error" in x), "?")
            return [Output(b"", f"does not compile: {first.rpartition('error: ')[2]}")]
        if done.returncode:
            return [self.outputs([text], flags)[0] for text in texts]
        outputs = [ran(stem, number) for number in range(len(texts))]
        os.unlink(stem)
        return outputs


def ran(program: str, number: int) -> Output:
    """What one form prints."""
    own = {
        "OMP_NUM_THREADS": "3",
        "OMP_WAIT_POLICY": "passive",
        "ASAN_OPTIONS": "detect_leaks=0",
        "KERNEL": f"{number}",
    }
    try:
        run = subprocess.run(
            [program], check=False, capture_output=True, timeout=60, env={**os.environ, **own}
        )
    except subprocess.TimeoutExpired:
        return Output(b"", "does not end")
    if run.returncode:
        words = run.stderr[-4000:].decode("utf-8", "replace").splitlines()
        said = next((x for x in words if "runtime error" in x or "ERROR" in x), words[-1:])
        return Output(b"", f"fails with {run.returncode}: {said}")
    return Output(run.stderr)


def difference(before: bytes, after: bytes) -> float:
    """The largest relative difference of two dumps; infinite where their shapes differ."""
    if before == after:
        return 0.0
    left, right = NUMBER.findall(before), NUMBER.findall(after)
    if len(left) != len(right) or NUMBER.sub(b"", before) != NUMBER.sub(b"", after):
        return math.inf
    values = [(_number(a), _number(b)) for a, b in zip(left, right, strict=True)]
    scale = max((abs(a) for a, _ in values if math.isfinite(a)), default=1.0) or 1.0
    worst = 0.0
    for a, b in values:
        if a == b or (math.isnan(a) and math.isnan(b)):
            continue
        gap = abs(a - b) / max(abs(a), abs(b), 1e-3 * scale)
        worst = max(worst, gap if math.isfinite(gap) else math.inf)
    return worst


def _number(text: bytes) -> float:
    return float.fromhex(text.decode()) if b"x" in text else float(text)


def judged(
    path: str, variant: Variant, pairs: Iterable[tuple[Output, Output]], rounding: float
) -> Verdict:
    """A variant by what its control and itself print, under each set of flags."""
    worst = 0.0
    title = f"{Path(path).stem}: {variant.title}"
    for before, after in pairs:
        if before.problem:
            return Verdict("the original fails", title, before.problem)
        if after.problem:
            return Verdict("DISAGREES", title, after.problem, variant.text)
        worst = max(worst, difference(before.text, after.text))
    if worst == 0:
        return Verdict("same bits", title)
    if not variant.exact and worst < rounding:
        return Verdict("same within rounding, as it says", title, f"{worst:.0e}")
    return Verdict("DISAGREES", title, f"by {worst:.1e}", variant.text)


def checked(bench: Bench, found: Sequence[Variant], checks: bool) -> Iterator[Verdict]:
    """Verdicts on forms of one function: of each nest as it was, and of each change of it."""
    subject = bench.subject
    controls = list(dict.fromkeys(each.control for each in found))
    plain, *same = bench.outputs([original(subject.unit, subject.function), *controls], FLAGS)
    if plain.problem:
        yield Verdict("the original fails", subject.function, plain.problem)
        return
    wrong: set[str] = set()
    for control, output in zip(controls, same, strict=True):
        kind = "control: same bits" if output == plain else "CONTROL DIFFERS"
        wrong |= {control} if output != plain else set()
        yield Verdict(kind, subject.function, output.problem, control)
    found = [each for each in found if each.control not in wrong]
    for threads in (False, True):
        own = [each for each in found if each.threads == threads]
        sets: list[tuple[str, ...]] = [THREADED, THREADED] if threads else [FLAGS]
        sets += [CHECKED] if checks else []
        pairs: list[list[tuple[Output, Output]]] = [[] for _ in own]
        known = list(dict.fromkeys(each.control for each in own))
        for flags in sets if own else ():
            outputs = bench.outputs([*known, *[each.text for each in own]], flags)
            before = dict(zip(known, outputs, strict=False))
            for k, (each, after) in enumerate(zip(own, outputs[len(known) :], strict=True)):
                pairs[k].append((before[each.control], after))
        for each, said in zip(own, pairs, strict=True):
            yield judged(subject.unit.path, each, said, subject.rounding)


def changes(
    path: str,
    unit: Unit,
    flags: Sequence[str],
    given: argparse.Namespace,
    functions: frozenset[str],
) -> Iterator[Variant | Refusal]:
    """The text of all that is to be checked of a file: of its rules, or all that is legal."""
    sources = [s for s in unit.functions if s.function.name in functions]
    if given.chains:
        made: Iterator[Made] = (m for source in sources for m in chained(source, given.chains))
    elif given.all:
        made = (each for source in sources for each in legal(source))
    else:
        made = (m for m in proposed(path, unit, flags) if m.function in functions)
    yield from variants(unit, made)


def arguments(text: str) -> argparse.ArgumentParser:
    """What all of these benchmarks take."""
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--gcc", default="gcc")
    parser.add_argument("--all", action="store_true", help="every legal change of every loop")
    parser.add_argument("--chains", type=int, default=0, help="so many legal chains, by chance")
    parser.add_argument("--checks", action="store_true", help="with sanitizers too")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", help="names that contain this")
    parser.add_argument("--show", action="store_true", help="the text of what differs")
    return parser


def report(verdicts: Iterable[Verdict], show: bool) -> None:
    """Prints what differs at once, and counts in the end."""
    counts: Counter[str] = Counter()
    for kind, title, detail, text in verdicts:
        counts[kind] += 1
        if kind.isupper() or kind == "the original fails":
            print(f"{kind}: {title}: {detail}", flush=True)
            print(text if show else "", end="")
    for kind, number in sorted(counts.items()):
        print(f"{number:5} {kind}")
