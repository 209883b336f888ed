import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.prediction import Prediction
from rooflint.render.layout import Style, number, ranges, wrap
from rooflint.render.text import render_text
from rooflint.report import Report

Golden = Callable[[str, str], None]


def test_golden(sample_report: Report, golden: Golden) -> None:
    golden("report.txt", render_text(sample_report, Style(100)))


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_lines_keep_to_the_width(sample_report: Report, width: int) -> None:
    for line in render_text(sample_report, Style(width)).splitlines():
        assert len(line) <= width
        assert line == line.rstrip()


def test_colours_change_nothing_but_colours(sample_report: Report) -> None:
    plain = render_text(sample_report, Style(100))
    coloured = render_text(sample_report, Style(100, colour=True))
    assert "\x1b[" not in plain
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_one_machine_takes_few_lines(sample_report: Report) -> None:
    file = sample_report.files[0]
    triad = file.functions[0].nests[0].kernels[0]
    one = triad._replace(results=(triad.results[0]._replace(advice=()),))
    nest = file.functions[0].nests[0]._replace(kernels=(one,))
    function = file.functions[0]._replace(nests=(nest,))
    report = sample_report._replace(
        machines=sample_report.machines[:1],
        files=(file._replace(functions=(function,), refusals=(), diagnostics=()),),
    )
    text = render_text(report, Style(100)).split("\n\n")[1]
    assert text.startswith("src/kernels.c:4  triad  for i in n\n")
    assert len(text.splitlines()) <= 6


def test_every_assumption_is_numbered_once(sample_report: Report) -> None:
    text = render_text(sample_report, Style(100))
    assert text.count("Caches are cold at entry.") == 1
    assert "notes 1-4" in text


def test_a_model_is_known_by_its_own_words_only(sample_report: Report) -> None:
    file = sample_report.files[0]
    nest = file.functions[0].nests[0]
    mine = Prediction("mine", "queue", "It waits for the clerk.", "3 furlongs/fortnight")
    result = nest.kernels[0].results[0]._replace(predictions=(mine,))
    changed = nest._replace(kernels=(nest.kernels[0]._replace(results=(result,)),))
    function = file.functions[0]._replace(nests=(changed,))
    text = render_text(
        sample_report._replace(files=(file._replace(functions=(function,)),)), Style()
    )
    expected = "mine          3 furlongs/fortnight, limited by queue: It waits for the clerk."
    assert expected in text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (24.0, "24"),
        (0.0625, "0.0625"),
        (1 / 3, "0.333"),
        (1234.5, "1230"),
        (999_999, "999999"),
        (1e6, "1e6"),
        (1_048_576, "1.05e6"),
        (2.5e-4, "2.5e-4"),
        (None, "?"),
        (float("nan"), "?"),
        (float("inf"), "∞"),
    ],
)
def test_numbers(value: float | None, text: str) -> None:
    assert number(value) == text


@given(st.floats(min_value=1e-12, max_value=1e18))
def test_numbers_keep_three_digits(value: float) -> None:
    assert float(number(value)) == pytest.approx(value, rel=0.00501)


def test_ranges() -> None:
    assert ranges([5, 3, 4, 9, 9, 1]) == "1, 3-5, 9"
    assert ranges([]) == ""


@given(st.lists(st.text("abc", min_size=1, max_size=9)), st.integers(4, 40), st.integers(0, 3))
def test_wrap_keeps_every_word(words: list[str], width: int, indent: int) -> None:
    lines = wrap(" ".join(words), width, indent, indent + 2)
    assert " ".join(lines).split() == words
    for line in lines:
        assert len(line) <= width or len(line.split()) == 1
