"""Branches that compare a pointer with the end of its buffer: it comes there once in so often."""

from pathlib import Path

import pytest
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.facts.guards import then_probability
from rooflint.frontend.equations.extraction import extracted_file
from rooflint.frontend.request import Request
from rooflint.ir.equations import BranchSite

SOURCE = """
struct sink {{ char *next, *end; char store[512]; int used; }};
void flush(struct sink *s);
void put(struct sink *s, const char *from, int n, char *next, char *end)
{{
    for (int i = 0; i < n; i++) {{
        if ({condition})
            flush(s);
        *s->next++ = from[i];
    }}
}}
"""


def branch_of(condition: str, folder: Path) -> BranchSite:
    path = str(folder / "f.c")
    text = SOURCE.format(condition=condition).encode()
    request = Request(path, FlagFinder(extra=["gcc"]).flags(path), text=text)
    (branch,) = extracted_file(request).equations.branches
    return branch


@pytest.mark.parametrize(
    ("condition", "pattern", "probability"),
    [
        ("next >= end", "at-end", 1 / 64),
        ("s->next > &s->store[504]", "at-end", 1 / 64),
        ("s->next > s->store + 504 || n == 0", "at-end", 1 / 64),
        ("n && (s->next) >= s->end", "at-end", 1 / 64),
        ("next < end", "before-end", 63 / 64),
        ("next <= end", "before-end", 63 / 64),
        ("next != end", "unequal", 0.5),
        ("n >= s->used", "ordered", 0.5),
        ("next < end || n == 0", "other", 0.5),
        ("*next >= *end", "ordered", 0.5),
    ],
)
def test_only_the_order_of_pointers_tells_of_an_end(
    condition: str, pattern: str, probability: float, tmp_path: Path
) -> None:
    branch = branch_of(condition, tmp_path)
    assert branch.condition == pattern
    assert then_probability(branch) == probability
