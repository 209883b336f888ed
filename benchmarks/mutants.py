"""Do the tests of a package notice bugs in it? ``mutants.py [--only N]... [--jobs J]``.

Each mutant of ``mutant_table.py`` is put into a copy of the tree, the tests of its package run
there until one fails, and the mutant counts as caught or as survived. The work tree itself never
changes. The exit code is 1 where less than 85 % are caught.

``--sample K --seed S`` draws K mutants from all modules in place of the table: cosmic-ray
(``pip install cosmic-ray``) makes them, this script runs them. Another seed is another sample.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Final, Literal, NamedTuple, TypeAlias

from mutant_table import MUTANTS

ROOT: Final = Path(__file__).resolve().parents[1]
SOURCES: Final = ("analyzer", "plugins", "lsp")
ENOUGH: Final = 0.85
"""Share of the table that the tests have to catch."""
LIMIT_S: Final = 600
"""For the tests of one mutant; one that makes them run on and on is caught."""
PASSED, FAILED, BROKEN = 0, 1, 2
"""Exit codes of pytest: all passed, one failed, a module could not be imported."""

Verdict: TypeAlias = Literal["caught", "survived"]


class Job(NamedTuple):
    """A changed file to be tested; ``content`` is all of it."""

    name: str
    file: str
    content: str
    tests: tuple[str, ...]


class Tree:
    """A copy of the work tree as git lists it, where tests run against the copied packages."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "tree"
        self._temporary = folder / "tmp"
        self._temporary.mkdir(parents=True)
        listing = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        names = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True).stdout
        for name in filter(None, os.fsdecode(names).split("\0")):
            if (ROOT / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, self.root / name)
        # some tests ask git about the tree that they are in
        for command in (("init", "-q"), ("add", "-A")):
            subprocess.run(("git", *command), cwd=self.root, check=True)
        where = self._python("-c", "import rooflint; print(rooflint.__file__)").stdout
        if not where.startswith(str(self.root)):
            raise RuntimeError(f"the copy imports {where.strip()}, not its own packages")

    def test(self, paths: Sequence[str], limit_s: float | None = None) -> tuple[int, str]:
        """pytest's exit code, FAILED where it takes too long, and the end of what it printed."""
        pytest = ("-m", "pytest", "-x", "-q", "-p", "no:cacheprovider")
        try:
            done = self._python(*pytest, *paths, limit_s=limit_s)
        except subprocess.TimeoutExpired:
            return FAILED, f"more than {limit_s} s"
        if done.returncode not in (PASSED, FAILED, BROKEN):
            raise RuntimeError(f"pytest {' '.join(paths)}: {done.stdout}{done.stderr}")
        return done.returncode, done.stdout[-3000:]

    def verdict(self, job: Job) -> Verdict:
        """What the tests make of a mutant; the file is as before afterwards."""
        path = self.root / job.file
        original = path.read_text(encoding="utf-8")
        try:
            self._write(path, job.content)
            code, _ = self.test(job.tests, LIMIT_S)
        finally:
            self._write(path, original)
        return "survived" if code == PASSED else "caught"

    def _write(self, path: Path, content: str) -> None:
        """Bytecode goes by seconds and sizes, which a mutant may share with what it replaces."""
        path.write_text(content, encoding="utf-8")
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
            compiled.unlink()

    def _python(
        self, *arguments: str, limit_s: float | None = None
    ) -> subprocess.CompletedProcess[str]:
        paths = os.pathsep.join([str(self.root / name) for name in SOURCES])
        variables = {"PYTHONPATH": paths, "PYTEST_DEBUG_TEMPROOT": str(self._temporary)}
        return subprocess.run(
            (sys.executable, *arguments),
            cwd=self.root,
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            timeout=limit_s,
            check=False,
        )


def jobs_of(numbers: Iterable[int]) -> Iterator[Job]:
    """Mutants of the table by number, from 1; SystemExit for one that no longer fits the code."""
    for number in numbers:
        mutant = MUTANTS[number - 1]
        content = (ROOT / mutant.file).read_text(encoding="utf-8")
        if content.count(mutant.old) != 1:
            times = content.count(mutant.old)
            sys.exit(f"mutant {number}: {mutant.file} has its text {times} times, not once")
        missing = [name for name in mutant.tests if not (ROOT / name).exists()]
        if missing:
            sys.exit(f"mutant {number}: there is no {missing[0]}")
        changed = content.replace(mutant.old, mutant.new)
        yield Job(f"{number}. {mutant.kind}", mutant.file, changed, mutant.tests)


def run(jobs: Sequence[Job], workers: int) -> int:
    """Each job's verdict in a line; how many survived."""
    with tempfile.TemporaryDirectory(prefix="rooflint-mutants-") as folder:
        trees: SimpleQueue[Tree] = SimpleQueue()
        for number in range(workers):
            trees.put(Tree(Path(folder) / str(number)))
        _check(trees, jobs)

        def judged(job: Job) -> Verdict:
            tree = trees.get()
            begin = time.monotonic()
            try:
                verdict = tree.verdict(job)
            finally:
                trees.put(tree)
            print(f"{verdict:8} {time.monotonic() - begin:4.0f} s  {job.name}", flush=True)
            return verdict

        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(judged, jobs)).count("survived")


def _check(trees: "SimpleQueue[Tree]", jobs: Iterable[Job]) -> None:
    """Tests that fail without a mutant catch nothing."""
    paths = list(dict.fromkeys(name for job in jobs for name in job.tests))
    # a folder has its files already, and pytest would take a file named twice once
    wanted = [
        p for p in paths if not any(p != other and p.startswith(f"{other}/") for other in paths)
    ]
    tree = trees.get()
    begin = time.monotonic()
    code, printed = tree.test(wanted)
    trees.put(tree)
    if code != PASSED:
        sys.exit(f"the tests fail without any mutant:\n{printed}")
    print(
        f"passed   {time.monotonic() - begin:4.0f} s  all of these tests without a mutant",
        flush=True,
    )


def main() -> int:
    """The table or a sample of all modules; the figure in the last line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", type=int, action="append", metavar="N", help="of the table")
    parser.add_argument("--sample", type=int, metavar="K", help="so many of cosmic-ray's mutants")
    parser.add_argument("--seed", type=int, default=0, help="which sample")
    parser.add_argument("--jobs", type=int, default=1, help="copies of the tree at work")
    options = parser.parse_args()
    if options.sample:
        from mutant_sample import drawn  # noqa: PLC0415 - it needs cosmic-ray

        jobs = [Job(*each) for each in drawn(ROOT, options.sample, options.seed)]
    else:
        jobs = list(jobs_of(options.only or range(1, len(MUTANTS) + 1)))
    survived = run(jobs, max(1, options.jobs))
    caught = len(jobs) - survived
    print(f"{caught} of {len(jobs)} caught ({caught / len(jobs):.0%}), {survived} survived")
    return caught < ENOUGH * len(jobs)


if __name__ == "__main__":
    sys.exit(main())
