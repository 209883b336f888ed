"""Comments typed into real files: CPU of the new loops against that of an extraction.

    python benchmarks/comment_edits.py [--edits 30] FILE... [--flags Iinclude DNAME=VALUE ...]

Each edit adds or takes away a comment or a blank line at a random place of the file. Of the edits
that need no parse the loops and equations are compared with those of a full extraction, which have
to be equal in every bit. Ratios are of one run; files that do not parse alike prove nothing.
"""

import argparse
import random
import statistics
from functools import partial

from edit_times import flags_of, timed
from rooflint.frontend.equations.extraction import extracted_file
from rooflint.frontend.moved_lines import moved_file
from rooflint.frontend.request import Request

COMMENTS = (b"    // a remark", b"", b"/* two\n   lines */")
AT_END = b"  // a remark"


def edited(text: bytes, chance: random.Random) -> bytes:
    """The text with a comment or a blank line more, or with a comment at the end of a line."""
    lines = text.split(b"\n")
    place = chance.randrange(len(lines))
    if chance.random() < 1 / 3:
        lines[place] += AT_END
    else:
        lines.insert(place, chance.choice(COMMENTS))
    return b"\n".join(lines)


def compared(path: str, edits: int, flags: list[str]) -> str:
    """A line of the table for one file."""
    with open(path, "rb") as file:
        text = file.read()
    request = Request(path, flags_of(path, flags), text=text)
    before, full_s = timed(partial(extracted_file, request))
    assert before is not None
    chance, moves, full, equal = random.Random(1), [], [full_s], 0
    for _ in range(edits):
        after = edited(text, chance)
        moved, seconds = timed(partial(moved_file, before, text, after))
        if moved is None:
            continue
        parsed, full_s = timed(partial(extracted_file, request._replace(text=after)))
        assert parsed is not None
        moves.append(seconds)
        full.append(full_s)
        equal += moved.unit == parsed.unit and moved.equations == parsed.equations
    ratio = statistics.median(moves) / statistics.median(full) if moves else float("nan")
    return (
        f"{path}: extraction {statistics.median(full) * 1e3:.0f} ms, without a parse"
        f" {len(moves)} of {edits}, equal {equal}, ratio {ratio:.3f}"
    )


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--edits", type=int, default=30)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--flags", nargs="*", default=[], metavar="I/folder or DNAME=VALUE")
    given = parser.parse_args()
    for path in given.files:
        print(compared(path, given.edits, [f"-{each}" for each in given.flags]))


if __name__ == "__main__":
    main()
