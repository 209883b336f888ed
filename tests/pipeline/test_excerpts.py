"""The lines of a file that its report carries."""

from rooflint.pipeline.excerpts import excerpts
from rooflint.plugin_api.report import SourceExcerpt

TEN = "".join(f"line {number}\n" for number in range(1, 11))


def test_a_loop_with_three_lines_around_it() -> None:
    (run,) = excerpts(TEN, [(5, 6)])
    assert run == SourceExcerpt(2, tuple(f"line {n}" for n in range(2, 10)))


def test_the_ends_of_the_file() -> None:
    first, last = excerpts(TEN, [(1, 1), (10, 10)])
    assert (first.line, len(first.lines)) == (1, 4)
    assert (last.line, last.lines) == (7, ("line 7", "line 8", "line 9", "line 10"))


def test_runs_that_touch_are_one() -> None:
    # 1..5 and 6..10 leave nothing between them
    assert len(excerpts(TEN, [(2, 2), (9, 9), (2, 2)])) == 1
    assert len(excerpts(TEN, [(1, 1), (9, 9)])) == 2


def test_lines_are_those_that_compilers_count() -> None:
    # clang ends a line at \n, \r\n and \r, not at a form feed or U+2028
    (run,) = excerpts("a\r\nb\rc\fd\u2028e\nf", [(3, 3)])
    assert run.lines == ("a", "b", "c\fd\u2028e", "f")


def test_a_place_after_the_end_has_no_lines() -> None:
    assert excerpts(TEN, [(20, 25)]) == ()
    assert excerpts("", [(1, 1)]) == ()
