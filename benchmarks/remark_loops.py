"""Loops beside remarks of gcc, clang and clang-tidy: ``remark_loops.py [FILE]``, a table on stdout.

For each loop of FILE whose header has a comment: what each compiler remarks that it made, with
its first reason, and the plan of the models for that compiler with theirs; the checks of clang-tidy
(``performance-*``, ``openmp-*``, ``bugprone-*``), and the rules that the lint names without
thresholds. Exit code 1 where a plan has vectors and the compiler has none, or the other way round.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from rooflint.core.external.remarks import LoopFate
from rooflint.pipeline import Options, Source, analyse
from rooflint.pipeline.compiled.confirmation import FileConfirmation, LoopConfirmation, confirm
from rooflint.registry import load_registry

HERE: Final = Path(__file__).with_suffix("") / "loops.c"
MACHINE: Final = "haswell-ep-e5-2695v3"
FLAGS: Final = ("-O3", "-march=haswell")
CHECKS: Final = "-*,performance-*,openmp-*,bugprone-*,-bugprone-easily-swappable-parameters"
"""Without a check of names of parameters, which says nothing of loops."""
HEADER: Final = re.compile(r"^\s*for \(.*// (.+)$")
WARNING: Final = re.compile(r":(\d+):\d+: warning: .* \[([\w.-]+)")
FATES: Final = {
    LoopFate.VECTORS: "vectors",
    LoopFate.CALL: "call",
    LoopFate.SCALAR: "scalar",
    LoopFate.UNROLLED: "unrolled",
    LoopFate.SILENT: "–",
}


def installed(*names: str) -> str:
    """The first of some programs that is here."""
    return next((each for each in names if shutil.which(each)), names[0])


def confirmations(path: Path, compiler: str) -> Mapping[int, LoopConfirmation]:
    """The loops of a file by their lines, as planned for a compiler and as it remarks."""
    registry = load_registry()
    flags = (compiler, *FLAGS)
    options = Options(machines=(MACHINE,), models=("ecm",), flags=flags, cache_dir="")
    file = analyse([Source(str(path))], options, registry).files[0]
    [answer] = confirm(file, options, registry)
    if not isinstance(answer, FileConfirmation):
        raise SystemExit(f"{compiler}: {answer.reason}")
    return {loop.line: loop for loop in answer.loops}


def advised(path: Path, compiler: str) -> Iterator[tuple[int, str]]:
    """Lines and codes of the lint's findings, without thresholds of gain and time."""
    thresholds = ["--min-gain", "1.05", "--min-time", "1ns", "--all-loops", "--ignore", "RL4"]
    command = [sys.executable, "-m", "rooflint", "lint", str(path), "--format", "sarif"]
    asked = [*thresholds, "--preview", "--machine", MACHINE, "--fail-on", "never"]
    done = subprocess.run(
        [*command, *asked, "--", compiler, *FLAGS], check=True, capture_output=True, text=True
    )
    for result in json.loads(done.stdout)["runs"][0]["results"]:
        place = result["locations"][0]["physicalLocation"]["region"]
        yield place["startLine"], result["ruleId"]


def tidied(path: Path) -> Iterator[tuple[int, str]]:
    """Lines and checks of clang-tidy's warnings."""
    tidy = installed("clang-tidy", "clang-tidy-19")
    done = subprocess.run(
        [tidy, f"--checks={CHECKS}", str(path), "--", *FLAGS],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    for line in done.stdout.splitlines():
        if found := WARNING.search(line):
            yield int(found[1]), found[2]


class Marked(NamedTuple):
    """A loop with a comment: its lines and what the comment says of it."""

    line: int
    end: int
    name: str

    def of(self, said: list[tuple[int, str]]) -> str:
        """What was said of its lines, each once."""
        own = dict.fromkeys([text for line, text in said if self.line <= line <= self.end])
        return ", ".join(own) or "–"


def marked(text: str) -> Iterator[Marked]:
    """The loops of a file, each up to the end of its function."""
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if found := HEADER.match(line):
            end = next(k for k in range(number, len(lines)) if lines[k].startswith("}"))
            yield Marked(number, end, found[1])


def compared(loop: LoopConfirmation | None) -> str:
    """A compiler's words and the plan's."""
    if loop is None:
        return "not a kernel"
    reasons = [each.text for each in loop.compiled.remarks if each.has_content]
    planned = loop.planned
    plan = "no plan" if planned is None else "vectors" if planned.width > 1 else "scalar"
    fate = FATES[loop.compiled.fate]
    reason = f": {reasons[0][:70]}" if reasons and fate == "scalar" else ""
    own = f": {planned.reason}" if planned and planned.reason and planned.width == 1 else ""
    sign = {True: "", False: "**differs** ", None: ""}[loop.agrees]
    return f"{sign}{fate}{reason} / {plan}{own}".replace("|", "\\|")


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", type=Path, default=HERE)
    path = parser.parse_args().file
    compilers = ("gcc", installed("clang", "clang-19"))
    known = {each: confirmations(path, each) for each in compilers}
    said = {each: list(advised(path, each)) for each in compilers}
    checks = list(tidied(path))
    print("| loop | gcc / plan | clang / plan | clang-tidy | lint, gcc | lint, clang |")
    print("| --- | --- | --- | --- | --- | --- |")
    for loop in marked(path.read_text(encoding="utf-8")):
        plans = [
            compared(known[each].get(loop.line, known[each].get(loop.line - 1)))
            for each in compilers
        ]
        rules = [loop.of(said[each]) for each in compilers]
        print(f"| {' | '.join([loop.name, *plans, loop.of(checks), *rules])} |")
    loops = [each for found in known.values() for each in found.values()]
    differing = sum(each.agrees is False for each in loops)
    print(f"\n{sum(e.agrees is not None for e in loops)} plans compared, {differing} differ")
    sys.exit(differing > 0)


if __name__ == "__main__":
    main()
