"""One word for one thing: the field's own, in the code's texts, the pages and the help alike."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from rooflint.render.explanations import WORDS, explanation

ROOT = Path(__file__).parents[1]
SOURCES = ("analyzer", "plugins", "lsp")
PAGES = ("README.md", "SECURITY.md", "CONTRIBUTING.md", "docs", "plugins", "machines", "editors")
FOREIGN = ("analyzer/rooflint/machine/kerncraft/",)
"""Keys of other tools' formats have other tools' spelling."""

TERMS = (
    "loop nest, kernel, iteration, trip count, unit of work, size parameter, assumption, access,"
    " stream, footprint, reuse distance, layer condition, regime, link, load, write-allocate,"
    " evict, operational intensity, ceiling, roof, ridge point, T_OL, T_nOL, T_ECM, n_S, issue,"
    " latency, stall, overlap bound, procedure, page, β, scenario, prediction, advice,"
    " steady state, cold"
).split(", ")
"""The words of the design that the product has today."""

RETIRED_TERMS = {
    "operational intensity": r"arithmetic intensit|computational intensit|code balance",
    "write-allocate": r"write[- ]allocation|allocate-on-write|read for ownership",
    "cache line": r"cachelines?\b",
    "trip count": r"tripcount|trip-count\b(?!-assumed)|number of trips",
    "loop nest": r"loopnest|loop nesting",
    "layer condition": r"layer-conditions? (?:holds|of|for)",
    "reuse distance": r"reuse-distance|stack distance",
    "ridge point": r"machine balance point|knee of the roof",
}
"""The term to use, and a pattern of its rivals."""

RETIRED_PHRASES = {
    "compulsory traffic": r"moves them again",
    "varies per row; assumed": r"from row to row, ",
    "lower bound; assumed": r"a lower end, ",
    "preview rules": r"still on trial",
    "bit-exact": r"keep(?:s|ing)? every bit",
    "analysed": r"look(?:s|ed)? at nothing|(?:not|still|are|is) looked at\b",
    "also analyse included headers": r"headers to look at too",
    "'>50x'": r"are said to be above",
    "assumed": r"\b(?:is|are) taken (?:to|not to|as)\b|taken for granted|: taken (?:to|as)\b",
    "reported": r"\b(?:is|are|not) told\b|nothing is said|said once|is said at all",
    "requested": r"nobody asks|that (?:are|is|were) asked for|core asks for",
    "unknown, or a default": r"nobody (?:gave|set|needs)\b",
    "worth reporting": r"worth saying",
    "is used instead": r"stands? in for|peak stands in|bandwidth stands in",
    "all of": r"\bwhat(?:ever)? there is\b",
    "this many": r"of so (?:many|small)|by so many|\bso many cores\b",
    "passes": r"let through|lets? .{1,40} through whose",
    "per": r"\bonce each\b",
    "count": r"are heeded",
    "as you type": r"while one types",
    "removes": r"takes them out|entries taken out",
    "per iteration": r"\b(?:cy|B|bytes|cycles|GOP/s|iterations|vectors) an? (?:iteration|vector"
    r"|turn|instruction|line|step|cycle|coprocessor|element|execution)\b",
    "the previous one": r"\bthe (?:one|iteration) before\b(?! the)",
    "bypass the caches": r"past the caches",
    "vectorised": r"becom\w+ vector code|is no vector code|makes? vector code|vector code as it is",
    "fully unrolled": r"unrolled away",
    "is not a": r"\bis no (?:commit|model|term|size|expression)\b",
    "the more expensive side": r"heavier side",
    "expand the power": r"multipl(?:y|ies) out",
    "passed to": r"\b(?:is|are|not) handed (?:to|an?)\b",
    "underflow": r"overflow or vanish",
    "differently": r"\bround\w* otherwise",
    "reads the value stored earlier": r"needs what .{1,20} before wrote|moves by another stride",
    "no edit": r"None in the text",
    "there is no": r"no loop stands|no branch stands",
}
"""The phrase to use in a text that people read, and a pattern of its rivals."""


RETIRED = {**RETIRED_TERMS, **RETIRED_PHRASES}


@cache
def pages() -> tuple[tuple[str, str], ...]:
    """The pages that people read: name and prose."""
    paths = [path for name in PAGES for path in _markdown(ROOT / name)]
    return tuple([(str(path.relative_to(ROOT)), _prose(path)) for path in paths])


def _prose(page: Path) -> str:
    """The page without its code, inline or in blocks."""
    return re.sub(r"```.*?```|`[^`]*`", "", page.read_text("utf-8"), flags=re.DOTALL)


def _markdown(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    else:
        yield from [page for page in sorted(path.rglob("*.md")) if "node_modules" not in page.parts]


@cache
def texts() -> tuple[tuple[str, str, bool], ...]:
    """Strings of the files with a suspect phrase: place, text, and whether it is a docstring."""
    return tuple([row for folder in SOURCES for row in _strings(ROOT / folder)])


def _strings(folder: Path) -> Iterator[tuple[str, str, bool]]:
    suspects = re.compile("|".join(map(_spaced, RETIRED.values())), re.IGNORECASE)
    for path in sorted(folder.rglob("*.py")):
        name, source = str(path.relative_to(ROOT)), path.read_text("utf-8")
        # a phrase may go on in the next literal; to parse every file would take seconds
        if name.startswith(FOREIGN) or not suspects.search(re.sub(r'"\s*\n\s*f?"', "", source)):
            continue
        nodes = list(ast.walk(ast.parse(source)))
        docstrings = {n.value for n in nodes if isinstance(n, ast.Expr)}
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield f"{name}:{node.lineno}", node.value, node in docstrings


@pytest.mark.parametrize("term", RETIRED_TERMS)
def test_a_retired_term_stays_away(term: str) -> None:
    every = [(place, text) for place, text, _ in texts()]
    assert not _places(RETIRED_TERMS[term], [*pages(), *every]), f"write '{term}'"


@pytest.mark.parametrize("phrase", RETIRED_PHRASES)
def test_a_retired_phrase_stays_away(phrase: str) -> None:
    printed = [(place, text) for place, text, docstring in texts() if not docstring]
    assert not _places(RETIRED_PHRASES[phrase], [*pages(), *printed]), f"write '{phrase}'"


def _places(pattern: str, rows: list[tuple[str, str]]) -> list[str]:
    rival = re.compile(_spaced(pattern), re.IGNORECASE)
    return [f"{place}: {found[0]!r}" for place, text in rows if (found := rival.search(text))]


def _spaced(pattern: str) -> str:
    return pattern.replace(" ", r"\s+")


@pytest.mark.parametrize("term", TERMS)
def test_a_term_of_the_design_is_explained(term: str) -> None:
    text = explanation(term)
    assert text.startswith(f"{term}: ")
    # a sentence or more about the term, in words and not by way of the term alone
    assert text.rstrip().endswith(".")
    assert len(text.split()) > 6


@pytest.mark.parametrize("term", WORDS)
def test_a_definition_begins_with_its_subject(term: str) -> None:
    assert not re.match(r"what\b|how\b|where\b|when\b|that\b|which\b", WORDS[term])
