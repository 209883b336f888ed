"""One word for one thing: the field's own, in the code's texts, the pages and the help alike."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ("analyzer", "plugins", "lsp")
PAGES = ("README.md", "SECURITY.md", "CONTRIBUTING.md", "docs", "plugins", "machines", "editors")
RETIRED = {
    "operational intensity": r"arithmetic intensit|computational intensit|code balance",
    "write-allocate": r"write[- ]allocation|allocate-on-write|read for ownership",
    "cache line": r"cachelines?\b",
    "trip count": r"tripcount|trip-count\b|loop count\b",
    "loop nest": r"loop-nest\b|loopnest",
    "layer condition": r"layer-conditions? (?:holds|of|for)",
    "reuse distance": r"reuse-distance|stack distance",
    "ridge point": r"machine balance point|knee of the roof",
    "compulsory traffic": r"moves them again",
    "varies per row; assumed": r"from row to row, ",
    "lower bound; assumed": r"a lower end, ",
    "preview rules": r"still on trial",
    "bit-exact": r"keeps? every bit|keeping every bit",
    "effective settings": r"look at nothing",
    "also analyse included headers": r"headers to look at too",
    "'>50x'": r"are said to be above",
}
"""The term to use, and a pattern of what stood in its place."""


def pages() -> Iterator[tuple[str, str]]:
    """The pages that people read: name and text without blocks of code."""
    for name in PAGES:
        path = ROOT / name
        for page in [path] if path.is_file() else sorted(path.rglob("*.md")):
            if "node_modules" not in page.parts:
                yield str(page.relative_to(ROOT)), page.read_text("utf-8")


def texts() -> Iterator[tuple[str, str]]:
    """Every string of the product, docstrings included, with its place."""
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", node.value


@pytest.mark.parametrize("term", RETIRED)
def test_a_retired_word_stays_away(term: str) -> None:
    pattern = re.compile(RETIRED[term], re.IGNORECASE)
    places = [place for place, text in (*pages(), *texts()) if pattern.search(text)]
    assert not places, f"write '{term}' in {', '.join(places)}"
