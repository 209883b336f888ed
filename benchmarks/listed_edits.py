"""A recorded list of edits of real files: CPU of the new loops against that of an extraction.

    python benchmarks/listed_edits.py EDITS.json FOLDER [--flags Iinclude DNAME=VALUE ...]

The list names files as ``OWNER/REPOSITORY:PATH``, their SHA-256, and of each edit its kind, offset,
bytes deleted and text inserted. FOLDER has a folder for each repository. Every edit is of the
original text. Loops and equations are compared with those of a full extraction, which have to be
equal in every bit. Ratios are of one run; files of another content are left out and named.
"""

import argparse
import hashlib
import json
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from edit_times import flags_of, timed
from rooflint.frontend.edited.body_edits import edited_file
from rooflint.frontend.edited.kept_units import KeptUnits
from rooflint.frontend.edited.recording import recorded_file
from rooflint.frontend.edited.records import RecordedFile
from rooflint.frontend.equations.extraction import ExtractedFile
from rooflint.frontend.moved_lines import moved_file
from rooflint.frontend.request import Request

REPEATS = 3
"""The quickest counts."""


def ways(
    request: Request, last: RecordedFile, text: bytes, units: KeptUnits
) -> tuple[str, ExtractedFile | None]:
    """How an edit is answered without an extraction of the file, and the answer."""
    moved = moved_file(last.found, text, request.text or b"")
    if moved is not None:
        return "shift", moved
    edited = edited_file(request, last, units)
    return ("whole", None) if edited is None else ("part", edited.found)


def of_file(path: Path, edits: Sequence[Mapping[str, Any]], flags: Sequence[str]) -> list[str]:
    """The rows of the table for one file."""
    text = path.read_bytes()
    request = Request(str(path), flags_of(path, flags), text=text)
    last, units = recorded_file(request), KeptUnits()
    full_s = min(timed(partial(recorded_file, request))[1] for _ in range(REPEATS))
    rows = defaultdict(list)
    for edit in edits:
        begin = edit["offset"]
        after = text[:begin] + edit["insert"].encode() + text[begin + edit["delete"] :]
        changed = request._replace(text=after)
        runs = [timed(partial(ways, changed, last, text, units)) for _ in range(REPEATS)]
        (way, found), _ = runs[0]
        equal = found is None or found[:2] == recorded_file(changed).found[:2]
        ratio = min(seconds for _, seconds in runs) / full_s if found is not None else 1.0
        rows[edit["edit"]].append((way, equal, ratio))
    return [
        f"| {path.name} | {kind} | {len(found)} | {sum(way == 'whole' for way, _, _ in found)}"
        f" | {sum(equal for _, equal, _ in found)} | {statistics.median(r for *_, r in found):.3f}"
        f" | {max(r for *_, r in found):.3f} |"
        for kind, found in sorted(rows.items())
    ]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("edits", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--flags", nargs="*", default=[], metavar="I/folder or DNAME=VALUE")
    given = parser.parse_args()
    by_file = defaultdict(list)
    for edit in json.loads(given.edits.read_text()):
        by_file[edit["file"], edit["sha256"]].append(edit)
    print("| file | edit | edits | whole | equal | median ratio | largest |")
    print("|---|---|--:|--:|--:|--:|--:|")
    for (name, digest), edits in by_file.items():
        repository, path = name.split(":")
        file = given.folder / repository.partition("/")[2] / path
        if not file.is_file() or hashlib.sha256(file.read_bytes()).hexdigest() != digest:
            print(f"| {name} | not this file | | | | | |")
            continue
        flags = [f"-{each}" for each in given.flags]
        print("\n".join(of_file(file, edits, flags)), flush=True)


if __name__ == "__main__":
    main()
