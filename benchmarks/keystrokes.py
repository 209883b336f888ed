"""From a keystroke to hints and findings: CPU against libclang's plain parse of the file.

    python benchmarks/keystrokes.py EDITS.json FOLDER [--only NAME] [--findings] [--flags Iinclude]

The edits are those of ``listed_edits.py``; of each file the ones inside of loops are typed, one at
a time, into a child that knows the file as it was. What the editor's server asks is asked: hints
with the models of every run and, with ``--findings``, the findings of what changed, then those that
only the whole file shows. Ratios are of one run, the median over the edits of a file.
"""

import argparse
import gc
import json
import statistics
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bare_parse import parse_seconds
from edit_times import flags_of, timed
from rooflint.frontend.request import Request
from rooflint.lint import lint_file
from rooflint.pipeline.live.child import answerer
from rooflint.pipeline.live.messages import BufferRequest, BufferResult
from rooflint.workers.child import RECURSION_LIMIT, STACK_MIB
from rooflint_lsp.documents.settings import Settings

REPEATS = 3
"""Of the plain parse; the quickest counts."""
IN_A_LOOP = "assignment in a loop"

Ask = Callable[[BufferRequest | None], BufferResult | None]


class Times(NamedTuple):
    """CPU seconds from one keystroke to its hints, and from those to its findings."""

    hints: float
    findings: float


class Child:
    """A child as the server starts it, in this process, and its questions about one file."""

    def __init__(self, path: Path, flags: Sequence[str], with_findings: bool) -> None:
        self._hints: Ask = answerer(lint_file, low_priority=False)
        self._lint: Ask | None = answerer(lint_file, low_priority=False) if with_findings else None
        settings = Settings(flags=("gcc", "-O3", *flags))
        self._look = BufferRequest(settings.options, str(path))
        self._lint_look = self._look._replace(options=settings.lint_options)

    def typed(self, text: bytes) -> Times:
        """The times of the answers to a new text."""
        _, hints_s = timed(lambda: self._hints(self._look._replace(text=text)))
        findings_s = 0.0
        if self._lint is not None:
            findings_s = timed(lambda: list(self._findings(text)))[1]
            self._lint(None)
        self._hints(None)  # the server asks for nothing more where nothing waits
        return Times(hints_s, findings_s)

    def _findings(self, text: bytes) -> Iterator[BufferResult | None]:
        assert self._lint is not None
        look = self._lint_look._replace(text=text)
        known = self._lint(look._replace(known=True))
        for line in known.unknown if known is not None else ():
            yield self._lint(look._replace(lines=(line, line)))
        yield self._lint(look)


def row(
    path: Path, edits: Sequence[Mapping[str, Any]], flags: Sequence[str], with_findings: bool
) -> str:
    """The file's row of the table."""
    text = path.read_bytes()
    request = Request(str(path), flags_of(path, flags))
    parse_s = min(parse_seconds(request) for _ in range(REPEATS))
    child = Child(path, flags, with_findings)
    first = child.typed(text)
    typed = []
    for edit in edits:
        begin = edit["offset"]
        typed.append(
            child.typed(text[:begin] + edit["insert"].encode() + text[begin + edit["delete"] :])
        )
        child.typed(text)
    hints, findings = (
        [statistics.median(column) / parse_s, max(column) / parse_s]
        for column in zip(*typed, strict=True)
    )
    return (
        f"| {path.name} | {parse_s * 1000:.0f} | {first.hints / parse_s:.1f}"
        f" | {first.findings / parse_s:.1f} | {hints[0]:.2f} ({hints[1]:.2f})"
        f" | {findings[0]:.2f} ({findings[1]:.2f}) |"
    )


def run(given: argparse.Namespace) -> None:
    """Prints the table."""
    by_file: dict[str, list[Mapping[str, Any]]] = {}
    for edit in json.loads(given.edits.read_text()):
        if edit["edit"] == IN_A_LOOP:
            by_file.setdefault(edit["file"], []).append(edit)
    print("| file | plain parse, ms | opened: hints | findings | typed: hints | findings |")
    print("|---|--:|--:|--:|--:|--:|")
    for name, edits in by_file.items():
        repository, path = name.split(":")
        file = given.folder / repository.partition("/")[2] / path
        if file.is_file() and given.only in name:
            flags = [f"-{each}" for each in given.flags]
            print(row(file, edits, flags, given.findings), flush=True)


def main() -> None:
    """Runs the benchmark with the stack of a child."""
    parser = argparse.ArgumentParser()
    parser.add_argument("edits", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="a part of a file's name")
    parser.add_argument("--findings", action="store_true")
    parser.add_argument("--flags", nargs="*", default=[], metavar="I/folder or DNAME=VALUE")
    given = parser.parse_args()
    gc.disable()  # as in a child
    sys.setrecursionlimit(RECURSION_LIMIT)
    threading.stack_size(STACK_MIB[0] << 20)
    thread = threading.Thread(target=run, args=(given,))
    thread.start()
    thread.join()


if __name__ == "__main__":
    main()
