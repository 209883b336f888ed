"""Codee's Open Catalog as a peer's test suite: ``catalogue.py [CHECKOUT]``, tables on stdout.

The catalogue (github.com/codee-com/open-catalog) is fetched with git unless a checkout is given;
nothing of it is in this repository. Two questions:

structural  is every check's example flagged by the rule that answers it, at its loop or statement,
            and every solution beside it silent for that rule?
default     with thresholds and guards on, at the sizes of the catalogue's own benchmarks: are the
            pairs flagged whose change was measured to pay, and only those?

Exit code 1 on a mismatch.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

URL: Final = "https://github.com/codee-com/open-catalog"
COMMIT: Final = "12c507e3f4136093139c8b004233b6001ed6963e"
HOST, OFFLOAD = "icelake-sp-8360y", "h100-pcie-server"
FLAGS: Final = ("clang", "-O3", "-march=icelake-server")
LOOP: Final = r"\b(for|while)\b"


class Check(NamedTuple):
    """What answers a check of the catalogue.

    marker   what stands in the line that is pointed at; empty: the finding is about the file
    command  the compiler and its flags, where the check is about those
    """

    rule: str
    marker: str = LOOP
    machine: str = HOST
    command: tuple[str, ...] = FLAGS


CHECKS: Final = {
    "PWR003": Check("RL209", rf"{LOOP}|gravity"),
    "PWR016": Check("RL106"),
    "PWR019": Check("RL306"),
    "PWR023": Check("RL301"),
    "PWR031": Check("RL204", rf"{LOOP}|\bpow\("),
    "PWR032": Check("RL206", rf"{LOOP}|\bpow\("),
    "PWR034": Check("RL108"),
    "PWR036": Check("RL109"),
    "PWR039": Check("RL101"),
    "PWR040": Check("RL103"),
    "PWR042": Check("RL102"),
    "PWR043": Check("RL102"),
    "PWR044": Check("RL205", r"a \* 2\.2"),
    "PWR045": Check("RL202"),
    "PWR046": Check("RL203", rf"{LOOP}|a / b / c"),
    "PWR049": Check("RL303", rf"{LOOP}|\bif\b"),
    "PWR050": Check("RL401"),
    "PWR051": Check("RL401"),
    "PWR053": Check("RL310", "", command=("gcc-11", "-O2")),
    "PWR054": Check("RL201"),
    "PWR055": Check("RL501", machine=OFFLOAD),
    "PWR056": Check("RL501", machine=OFFLOAD),
    "PWR062": Check("RL102"),
}
"""Day-one checks with C examples; RMK010, RMK013, RMK014 and RMK015 have none."""

LATER: Final = {
    "PWR009": Check("RL504", machine=OFFLOAD, command=(*FLAGS, "-fopenmp")),
    "PWR013": Check("RL503", machine=OFFLOAD, command=(*FLAGS, "-fopenmp")),
    "PWR017": Check("RL302"),
    "PWR018": Check("RL305"),
    "PWR020": Check("RL307"),
    "PWR021": Check("RL307"),
    "PWR022": Check("RL304"),
    "PWR024": Check("RL302"),
    "PWR025": Check("RL305"),
    "PWR028": Check("RL308"),
    "PWR029": Check("RL308"),
    "PWR030": Check("RL308"),
    "PWR086": Check("RL308"),
}
"""Checks whose rules make no claim of a gain, or are on trial: told, not demanded."""

GCC: Final = ("gcc-12", "-O3", "-march=icelake-server")
GCC_FAST: Final = (*GCC, "-ffast-math")


class Driver(NamedTuple):
    """A pair that the catalogue times itself, at the size it does that.

    folder  below the check's
    """

    rule: str
    size: str
    folder: str = ""


DRIVERS: Final = {
    "PWR003": Driver("RL209", "N=2097152"),
    "PWR022": Driver("RL304", "n=128"),
    "PWR031": Driver("RL204", "n=524288", "benchmark"),
    "PWR032": Driver("RL206", "N=2097152"),
    "PWR037": Driver("RL206", "n=1048576", "benchmark"),
    "PWR039": Driver("RL101", "n=128"),
    "PWR043": Driver("RL102", "n=128"),
    "PWR046": Driver("RL203", "n=1048576", "benchmark"),
    "PWR062": Driver("RL102", "n=128"),
    "PWR086": Driver("RL308", "size=1048576"),
}


class Verdict(NamedTuple):
    """What was measured of a pair says whether a finding is right."""

    check: str
    command: tuple[str, ...]
    flagged: bool


VERDICTS: Final = (
    Verdict("PWR003", GCC, True),
    Verdict("PWR003", FLAGS, True),
    Verdict("PWR022", GCC, False),
    Verdict("PWR022", FLAGS, False),
    Verdict("PWR031", GCC, True),
    Verdict("PWR031", GCC_FAST, False),
    Verdict("PWR031", FLAGS, True),
    Verdict("PWR032", GCC, True),
    Verdict("PWR032", GCC_FAST, False),
    Verdict("PWR032", FLAGS, False),
    Verdict("PWR037", GCC, False),
    Verdict("PWR037", FLAGS, False),
    Verdict("PWR039", GCC, True),
    Verdict("PWR039", FLAGS, True),
    Verdict("PWR043", GCC, True),
    Verdict("PWR043", FLAGS, True),
    Verdict("PWR046", GCC, True),
    Verdict("PWR046", FLAGS, True),
    Verdict("PWR062", GCC, True),
    Verdict("PWR062", FLAGS, True),
    Verdict("PWR086", GCC, False),
    Verdict("PWR086", FLAGS, False),
)
"""What the pairs were measured to gain."""


class Finding(NamedTuple):
    """A line of a file, and what is said of it."""

    code: str
    line: int
    message: str


def main() -> int:
    """Runs both questions; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("checkout", nargs="?", type=Path, help="a checkout of the catalogue")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        catalogue = given.checkout or fetched(Path(scratch) / "open-catalog")
        wrong = structural(catalogue, CHECKS, "day one")
        structural(catalogue, LATER, "later")
        wrong += default(catalogue)
        wrong += whole(catalogue)
    return 1 if wrong else 0


def fetched(folder: Path) -> Path:
    """The catalogue at ``COMMIT``, without its history."""
    folder.mkdir()
    for words in (
        ("init", "-q"),
        ("fetch", "-q", "--depth", "1", URL, COMMIT),
        ("checkout", "-q", "FETCH_HEAD"),
    ):
        subprocess.run(("git", *words), cwd=folder, check=True)
    return folder


def structural(catalogue: Path, checks: dict[str, Check], words: str) -> int:
    """The table of one set of checks; returns how many files are wrong."""
    print(f"\n## Structural, {words}\n")
    print("| check | rule | example | solution |\n| --- | --- | --- | --- |")
    counts = {"example": [0, 0], "solution": [0, 0]}
    for name, check in checks.items():
        cells = {}
        for kind, tally in counts.items():
            folder = catalogue / "Checks" / name
            files = sorted([*folder.glob(f"{kind}*.c"), *folder.glob(f"benchmark/{kind}.c")])
            said = [(file, _found(file, check)) for file in files]
            right = [_right(file, found, check, kind == "example") for file, found in said]
            tally[0] += sum(right)
            tally[1] += len(right)
            cells[kind] = ", ".join([_cell(*pair, kind) for pair in zip(said, right, strict=True)])
        print(f"| {name} | {check.rule} | {cells['example']} | {cells['solution'] or 'none'} |")
    done = [f"{right} of {all_} {kind}s" for kind, (right, all_) in counts.items()]
    print(f"\n{', '.join(done)} as they should be")
    return sum([all_ - right for right, all_ in counts.values()])


def _found(file: Path, check: Check) -> list[Finding]:
    found = lint([file], check.rule, check.machine, check.command, ("--structural",))
    return [finding for finding in found if finding.code == check.rule]


def _right(file: Path, found: list[Finding], check: Check, example: bool) -> bool:
    """Whether an example is flagged at the marker, a solution not at all."""
    if not example:
        return not found
    lines = file.read_text().splitlines()
    return any(not check.marker or re.search(check.marker, lines[f.line - 1]) for f in found)


def _cell(said: tuple[Path, list[Finding]], right: bool, kind: str) -> str:
    _, found = said
    lines = ", ".join([f"line {each.line}" for each in found[:3]])
    state = lines if found else "silent"
    return state if right else f"**{state}**"


def default(catalogue: Path) -> int:
    """The table of what was measured; returns how many verdicts differ."""
    print("\n## Default\n")
    print("| pair | rule | command | expected | found |\n| --- | --- | --- | --- | --- |")
    wrong = 0
    for each in VERDICTS:
        rule, size, _ = DRIVERS[each.check]
        file = driver_file(catalogue, each.check, "example.c")
        found = list(lint([file], rule[:3], HOST, each.command, ("-D", size)))
        found = [finding for finding in found if finding.code == rule]
        said = found[0].message.rpartition("; ")[2] if found else "silent"
        right = bool(found) == each.flagged
        wrong += not right
        expected = "flag" if each.flagged else "silent"
        mark = "" if right else "**"
        command = " ".join(each.command)
        print(f"| {each.check} | {rule} | {command} | {expected} | {mark}{said}{mark} |")
    print(f"\n{len(VERDICTS) - wrong} of {len(VERDICTS)} verdicts as measured")
    return wrong


def driver_file(catalogue: Path, check: str, name: str) -> Path:
    """A file of a pair that the catalogue times."""
    return catalogue / "Checks" / check / DRIVERS[check].folder / name


def whole(catalogue: Path) -> int:
    """What the rules that are on without being asked for say of all C files; always 0."""
    files = sorted(catalogue.glob("**/*.c"))
    found = list(lint(files, "RL1,RL2,RL3", HOST, FLAGS, ()))
    codes = sorted({each.code for each in found})
    said = [f"{code} {sum(each.code == code for each in found)}" for code in codes]
    print(f"\n{len(files)} C files at defaults: {len(found)} findings ({', '.join(said)})")
    return 0


def lint(
    files: Iterable[Path], rules: str, machine: str, command: tuple[str, ...], more: Iterable[str]
) -> Iterator[Finding]:
    """What ``rooflint lint`` says of files that are compiled so."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(file.resolve()) for file in files]
        entries = [
            {"directory": folder, "file": path, "arguments": [*command, "-c", path]}
            for path in paths
        ]
        (Path(folder) / "compile_commands.json").write_text(json.dumps(entries))
        words = [sys.executable, "-m", "rooflint", "lint", "--format", "json", "--select", rules]
        words += ["--machine", machine, "-p", folder, "--fail-on", "never", *more]
        words += paths
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}\n{done.stderr}")
    for file in json.loads(done.stdout)["files"]:
        for advice in file["findings"]:
            yield Finding(advice["code"], advice["line"], advice["message"])


if __name__ == "__main__":
    sys.exit(main())
