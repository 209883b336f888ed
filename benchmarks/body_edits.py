"""Edits inside functions of real files: CPU of the new loops against that of an extraction.

    python benchmarks/body_edits.py [--edits 30] FILE... [--flags Iinclude DNAME=VALUE ...]

Each edit repeats, takes away or changes a line that ends in a semicolon, on top of the edits
before; those that do not compile are undone. Where a parse of some bodies was enough, loops and
equations are compared with those of a full extraction, which have to be equal in every bit. Ratios
are of one run; files that do not parse alike prove nothing.
"""

import argparse
import random
import re
import statistics
from functools import partial

from edit_times import flags_of, timed
from rooflint.frontend.edited.body_edits import edited_file
from rooflint.frontend.edited.kept_units import KeptUnits
from rooflint.frontend.edited.recording import recorded_file
from rooflint.frontend.request import Request

LINE = re.compile(rb"[^\n]*;[ \t]*\n")
NUMBER = re.compile(rb"\b\d+\b")


def changed(text: bytes, chance: random.Random) -> bytes:
    """The text with a statement twice, without it, or with another number in it."""
    line = chance.choice(list(LINE.finditer(text)))
    way = chance.randrange(3)
    if way == 0:
        return text[: line.end()] + line[0] + text[line.end() :]
    if way == 1:
        return text[: line.start()] + text[line.end() :]
    return text[: line.start()] + NUMBER.sub(b"7", line[0], 1) + text[line.end() :]


def compared(path: str, edits: int, flags: list[str]) -> str:
    """A line of the table for one file."""
    with open(path, "rb") as file:
        text = file.read()
    request = Request(path, flags_of(path, flags), text=text)
    recorded_file(request)
    last, full_s = timed(partial(recorded_file, request))
    units = KeptUnits()
    chance, times, full, equal, tried = random.Random(1), [], [full_s], 0, 0
    for _ in range(edits):
        after = request._replace(text=changed(text, chance))
        edited, edit_s = timed(partial(edited_file, after, last, units))
        whole, full_s = timed(partial(recorded_file, after))
        if whole.record is None:
            continue
        tried += 1
        full.append(full_s)
        if edited is not None:
            times.append(edit_s)
            equal += edited.found[:2] == whole.found[:2]
        text, last = after.text or b"", edited or whole
    ratio = statistics.median(times) / statistics.median(full) if times else float("nan")
    return (
        f"{path}: extraction {statistics.median(full) * 1e3:.0f} ms, with some bodies"
        f" {len(times)} of {tried}, equal {equal}, ratio {ratio:.3f}"
    )


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--edits", type=int, default=30)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--flags", nargs="*", default=[], metavar="I/folder or DNAME=VALUE")
    given = parser.parse_args()
    for path in given.files:
        print(compared(path, given.edits, [f"-{each}" for each in given.flags]), flush=True)


if __name__ == "__main__":
    main()
