"""A late pattern is the pattern itself, from its first use on."""

import re

from rooflint.startup import late_pattern as module
from rooflint.startup.late_pattern import late_pattern


def test_a_pattern_is_compiled_when_it_is_used() -> None:
    wrong = late_pattern("(")
    try:
        wrong.match("a")
    except re.error as error:
        assert error.pattern == "("
    else:
        raise AssertionError("a pattern that no compiler takes")


def test_its_methods_are_those_of_the_pattern() -> None:
    late, own = late_pattern(r"(\w)(\d)", re.IGNORECASE), re.compile(r"(\w)(\d)", re.IGNORECASE)
    text = "a1 b2"
    for _ in range(2):
        assert [m.groups() for m in late.finditer(text)] == [m.groups() for m in own.finditer(text)]
        assert late.sub(r"\2\1", text) == own.sub(r"\2\1", text) == "1a 2b"
        assert late.split(text) == own.split(text)
    assert (late.pattern, late.flags, late.groups) == (own.pattern, own.flags, own.groups)


def test_methods_are_fetched_once() -> None:
    late = late_pattern("a")
    assert late.match("a")
    assert set(module.METHODS) <= set(vars(late))


def test_bytes_have_patterns_too() -> None:
    found = late_pattern(rb"\d+").search(b"a12")
    assert found is not None
    assert found[0] == b"12"
