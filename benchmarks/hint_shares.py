"""How many loops of an open file have a hint by default, and how many hints doubt themselves.

    python benchmarks/hint_shares.py FILE... [--machine M] [-- FLAGS]

For each file: loops, hints, hints with ``~``, the longest hint in characters. A hint should be on a
quarter of the loops at most, and ``~`` on three in ten of the hints.
"""

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rooflint.verdict.choose import instances
from rooflint_lsp.documents.settings import Settings
from rooflint_lsp.documents.verdicts import first_verdicts
from rooflint_lsp.views.chosen import hinted_loops

from tests.shown import opened_report


class HintCount(NamedTuple):
    """Counts of one file; ``longest`` is in characters."""

    loops: int = 0
    hints: int = 0
    doubtful: int = 0
    longest: int = 0

    def and_those(self, other: "HintCount") -> "HintCount":
        """Of both files."""
        return HintCount(
            loops=self.loops + other.loops,
            hints=self.hints + other.hints,
            doubtful=self.doubtful + other.doubtful,
            longest=max(self.longest, other.longest),
        )

    def row(self, name: str) -> str:
        """A row of a table in Markdown."""
        of_loops = 100 * self.hints / self.loops if self.loops else 0.0
        of_hints = 100 * self.doubtful / self.hints if self.hints else 0.0
        counts = f"{self.loops} | {self.hints} | {of_loops:.0f} % | {self.doubtful}"
        return f"| {name} | {counts} | {of_hints:.0f} % | {self.longest} |"


def counted(path: str, settings: Settings, *, lint: bool) -> HintCount:
    """One file as an editor shows it after its analysis, and after the search for findings."""
    text = Path(path).read_bytes().decode("utf-8", "replace")
    shown = opened_report(path, text, settings, lint=lint)
    texts = [each.text for each in hinted_loops(shown, "problems")]
    return HintCount(
        loops=len(instances(first_verdicts(shown.verdicts))),
        hints=len(texts),
        doubtful=sum(text.startswith("~") for text in texts),
        longest=max(map(len, texts), default=0),
    )


def main() -> int:
    """Prints a table; 1 where a limit is passed over all files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--machine", default="skylake-sp-6148")
    parser.add_argument("--lint", action=argparse.BooleanOptionalAction, default=True)
    words = sys.argv[1:]
    place = words.index("--") if "--" in words else len(words)
    given = parser.parse_args(words[:place])
    settings = Settings(machine=(given.machine,), flags=tuple(words[place + 1 :]))
    total = HintCount()
    print("| file | loops | hints | of the loops | with ~ | of the hints | longest |")
    print("| --- | --: | --: | --: | --: | --: | --: |")
    for path in given.files:
        count = counted(path, settings, lint=given.lint)
        print(count.row(Path(path).name), flush=True)
        total = total.and_those(count)
    print(total.row("all"))
    few = total.hints <= 0.25 * total.loops and total.doubtful <= 0.3 * total.hints
    return 0 if few else 1


if __name__ == "__main__":
    sys.exit(main())
