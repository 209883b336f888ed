"""Are the races of RL411 races? ``races.py [DIR...]``: a table, and exit code 1 if one is not.

Each file is a program with OpenMP; ``races/`` has those of this repository. What a program does is
told by Archer, the race detector of LLVM's OpenMP (Atzeni and others, IPDPS 2016), which needs
clang and libarcher.so: on Debian clang-19 and libomp-19-dev. Without them, the names of the files
count: ``race_*``, ``clean_*``, and ``unproven_*`` for a race that the source alone does not prove.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

HERE: Final = Path(__file__).with_suffix("")
RUNS: Final = 3
"""Of each program: threads may miss each other in one."""
THREADS: Final = 4


class Detector(NamedTuple):
    """Clang and the library that tells ThreadSanitizer of OpenMP's threads."""

    clang: str
    library: Path


def detector() -> Detector | None:
    """The newest one of this system."""
    for library in sorted(Path("/usr/lib").glob("llvm-*/lib/libarcher.so"), reverse=True):
        clang = shutil.which(str(library.parents[1] / "bin" / "clang"))
        if clang:
            return Detector(clang, library)
    return None


def has_race(program: Path, tools: Detector, folder: Path) -> bool:
    """Whether Archer sees a race in one of the runs."""
    built = folder / program.stem
    flags = ("-O0", "-g", "-w", "-fopenmp", "-fsanitize=thread")
    subprocess.run([tools.clang, *flags, program, "-o", built, "-lm"], check=True)
    options = {
        "OMP_NUM_THREADS": str(THREADS),
        "OMP_TOOL_LIBRARIES": str(tools.library),
        "TSAN_OPTIONS": "ignore_noninstrumented_modules=1",
    }
    # the sanitizer's memory map does not allow for all random addresses
    fixed = ["setarch", "-R"] if shutil.which("setarch") else []
    for _ in range(RUNS):
        environment = {**os.environ, **options}
        done = subprocess.run(
            [*fixed, built], check=False, capture_output=True, text=True, env=environment
        )
        if "data race" in done.stderr:
            return True
        if done.returncode:
            raise SystemExit(f"{program}: {done.stderr or done.returncode}")
    return False


def findings(folders: Sequence[Path]) -> Mapping[str, str]:
    """What RL411 says first of each program, by the name of its file."""
    lint = [sys.executable, "-m", "rooflint", "lint", *map(str, folders), "--format", "sarif"]
    options = ["--select", "RL411", "--all-loops", "--fail-on", "never", "--", "-fopenmp"]
    done = subprocess.run([*lint, *options], check=True, capture_output=True, text=True)
    said: dict[str, str] = {}
    for result in json.loads(done.stdout)["runs"][0]["results"]:
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        said.setdefault(Path(uri).stem, result["message"]["text"])
    return said


class Row(NamedTuple):
    """A program, whether it has a race by the detector, and what the rule says."""

    program: str
    is_race: bool
    said: str

    @property
    def verdict(self) -> str:
        """How the two compare."""
        if self.said:
            return "right" if self.is_race else "WRONG"
        return "silent" if self.is_race else "right"


def rows(folders: Sequence[Path]) -> Iterator[Row]:
    """All programs in the folders."""
    tools, said = detector(), findings(folders)
    if tools is None:
        print("no clang with libarcher.so: the names of the files count", file=sys.stderr)
    with tempfile.TemporaryDirectory() as scratch:
        for program in sorted(path for folder in folders for path in folder.glob("*.c")):
            named = not program.stem.startswith("clean")
            is_race = has_race(program, tools, Path(scratch)) if tools else named
            if is_race != named:
                print(f"{program.name}: named otherwise than it behaves", file=sys.stderr)
            yield Row(program.stem, is_race, said.get(program.stem, ""))


def main() -> None:
    """Prints the table and the sums."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", type=Path, default=[HERE])
    found = list(rows(parser.parse_args().folders))
    print("| program | Archer | RL411 | |\n| --- | --- | --- | --- |")
    for row in found:
        archer = "race" if row.is_race else "clean"
        print(f"| {row.program} | {archer} | {row.said or '–'} | {row.verdict} |")
    verdicts = [row.verdict for row in found]
    counts = ", ".join(f"{verdicts.count(each)} {each}" for each in sorted(set(verdicts)))
    print(f"\n{len(found)} programs, {sum(row.is_race for row in found)} with a race: {counts}")
    sys.exit("WRONG" in verdicts)


if __name__ == "__main__":
    main()
