"""Fuzzing for as long as one likes: ``fuzz.py [COUNT] [SEED] [TARGET...]``.

COUNT inputs (2000) for each target: analyze, lint, lsp, and the readers of ``targets.READERS``.
Faults go to stdout with the input that makes them, and the exit code is 1; each becomes a test.
"""

import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "fuzz"))

import inputs
import targets

BATCH = 100
MESSAGES = 40


def faults_of(target: str, count: int, seed: int) -> Iterator[targets.Fault]:
    """The faults of one target, in batches with folders of their own."""
    kind = targets.READERS[target][0] if target in targets.READERS else "source"
    for start in range(0, count, BATCH):
        with tempfile.TemporaryDirectory() as folder:
            size = min(BATCH, count - start)
            if target == "lsp":
                rng = random.Random(seed + start)
                yield from targets.talk(list(targets.messages(rng, MESSAGES)))
                continue
            data = inputs.mutated(kind, size, seed + start)
            if target in targets.READERS:
                yield from targets.read_all(target, data, Path(folder))
            else:
                yield from targets.analyse_all(data, Path(folder), lint=target == "lint")


def main() -> int:
    """All faults, each with its input, then a line for each target."""
    numbers = [int(word) for word in sys.argv[1:] if word.isdecimal()]
    count, seed = ([*numbers, 2000][0], [*numbers, 0, 0][1])
    named = [word for word in sys.argv[1:] if not word.isdecimal()]
    total = 0
    for target in named or ["analyze", "lint", *targets.READERS, "lsp"]:
        begin, found = time.monotonic(), 0
        for fault in faults_of(target, count, seed):
            found += 1
            print(f"--- {target}: {fault.what}\n{fault.data!r}\n", flush=True)
        spent_s = time.monotonic() - begin
        print(f"{target}: {count} inputs, {found} faults, {spent_s:.0f} s", flush=True)
        total += found
    return bool(total)


if __name__ == "__main__":
    sys.exit(main())
