"""Each term that the doors print has an explanation, and no sentence mixes units of time."""

from types import ModuleType

import pytest

pytest.importorskip("pygls", reason="pygls comes with the extra [test]")

from rooflint.render.explanations import explanation

from ..door_words import page_terms, sentences_of, terms_of, time_units_in
from .test_doors import KERNELS, doors_of

PROGRAMS = ("templates.cpp", "walks.c", "calls.c")


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_term_is_explained(name: str, shown: ModuleType) -> None:
    doors = doors_of(KERNELS / name, "generic-avx2", shown)
    terms = {*terms_of(doors), *page_terms(doors)}
    # columns, labels, limiters and models are among them
    assert {"share", "limit", "confidence", "Traffic", "roofline", "ecm"} <= terms
    for term in terms:
        assert explanation(term), term


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_sentence_has_two_units_of_time(name: str, shown: ModuleType) -> None:
    sentences = list(sentences_of(doors_of(KERNELS / name, "generic-avx2", shown)))
    assert sum("cy per iteration" in each for each in sentences) > 2
    assert [each for each in sentences if len(time_units_in(each)) > 1] == []


@pytest.mark.parametrize(
    ("sentence", "units"),
    [
        ("3.3 → 2.1 s", {"s"}),
        ("takes 44.3 ns each time, less than 10 times the 5 µs of a fork", {"ns", "µs"}),
        ("4 partial sums makes it 1.7 cy, 2.4× (9 % of the run)", {"cy"}),
        ("144 ms of a call, at 2 cy per line", {"ms", "cy"}),
        ("2 sums, 3 cycles, 32 B, n = 5", set()),
        ("5 us and 5 µs are one unit", {"µs"}),
    ],
)
def test_units_of_time_are_found(sentence: str, units: set[str]) -> None:
    assert time_units_in(sentence) == units
