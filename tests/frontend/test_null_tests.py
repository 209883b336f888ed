"""Sizes behind a test for a null pointer: those of the object."""

from pathlib import Path

import pytest
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.frontend.equations.extraction import extracted_file
from rooflint.frontend.request import Request
from rooflint.ir import Unit, walk
from rooflint.ir.equations import ChoiceTerm, IntegerTerm

SOURCE = """
#include <stddef.h>
struct part {{ long ne[4]; }};
struct whole {{ struct part *src[4]; long n; int flag; }};
struct whole *find(long m);
void f(struct whole *w, long m, float *a)
{{
    long count = {choice};
    for (long i = 0; i < count; i++)
        a[i] += 1;
}}
"""


def unit_of(choice: str, folder: Path) -> tuple[Unit, bool]:
    """The file, and whether its equations have a choice of a number."""
    path = str(folder / "f.c")
    text = SOURCE.format(choice=choice).encode()
    found = extracted_file(Request(path, FlagFinder(extra=["gcc"]).flags(path), text=text))
    assert not found.unit.diagnostics
    terms = [each.term for each in found.equations.equations]
    choices = [each.alternatives for each in terms if isinstance(each, ChoiceTerm)]
    return found.unit, any(isinstance(e, IntegerTerm) for choice in choices for e in choice)


def trip_count(unit: Unit) -> str:
    (source,) = unit.functions
    (loop,) = [each for each in walk(source.function.body) if hasattr(each, "upper")]
    return str(loop.upper)


@pytest.mark.parametrize(
    "choice",
    [
        "w->src[0] ? w->src[0]->ne[0] : 0",
        "w->src[0] != NULL ? w->src[0]->ne[0] : 0",
        "(w->src[0]) == NULL ? 0 : (w->src[0]->ne[0])",
        "!w->src[0] ? 0 : w->src[0]->ne[0]",
    ],
)
def test_a_size_is_that_of_the_object(choice: str, tmp_path: Path) -> None:
    unit, chooses = unit_of(choice, tmp_path)
    assert trip_count(unit) == trip_count(unit_of("w->src[0]->ne[0]", tmp_path)[0])
    assert not chooses
    (source,) = unit.functions
    assert any("is not null" in text for text in source.function.assumptions)


@pytest.mark.parametrize(
    "choice",
    ["w->flag ? w->n : 0", "m != 0 ? w->n : 1", "m < 4 ? w->n : 2", "find(m) ? find(m)->n : 0"],
)
def test_other_choices_stay_open(choice: str, tmp_path: Path) -> None:
    unit, chooses = unit_of(choice, tmp_path)
    assert trip_count(unit) != trip_count(unit_of("w->n", tmp_path)[0])
    assert chooses
    (source,) = unit.functions
    assert not any("is not null" in text for text in source.function.assumptions)
