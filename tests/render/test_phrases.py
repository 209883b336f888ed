"""Numbers, work and traffic in words, lines of limited width."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.ir import Reason
from rooflint.plugin_api.report import CoverageGap, LinkTraffic, LoopHeader, WorkReport
from rooflint.render.layout import number, ranges, truncate, wrap
from rooflint.render.phrases import nest_words, traffic_words, work_words

L1_L2 = LinkTraffic("L1-L2", 8, 0, 0)


@pytest.mark.parametrize(
    ("work", "text"),
    [
        (WorkReport("f64", 2, {"add.f64": 1, "mul.f64": 1}, 2, 1),
         "2 flop (1 add, 1 mul; f64), 2 loads, 1 store"),
        (WorkReport("f64", 2, {"add.f64": 1, "mul.f32": 1, "compare.f64": 3}, 0, 0),
         "2 flop (1 add.f64, 1 mul.f32), 3 compare.f64"),
        (WorkReport("f64", 1, {"add.f64": 1, "call:exp.f64": 2, "call:g.i32": 9}, 1, 0),
         "1 flop (1 add; f64), 2 calls of exp, 1 load"),
        (WorkReport("i32", 0, {"add.i32": 2, "and.i32": 1}, 0, 0), "no flop (2 add, 1 and; i32)"),
        (WorkReport("c128", 2, {"add.c128": 1}, 0, 0), "2 flop (1 add; c128)"),
        (WorkReport("", 0, {}, 0, 0), "no arithmetic, no array accesses"),
    ],
)  # fmt: skip
def test_work_in_words(work: WorkReport, text: str) -> None:
    assert work_words(work, (CoverageGap(3, Reason("call", ("g",))),)) == text


@pytest.mark.parametrize(
    ("links", "text"),
    [
        ([LinkTraffic("L3-MEM", 16, 8, 8)], "L3-MEM 32 B (16 load + 8 write-allocate + 8 evict)"),
        ([LinkTraffic("L3-MEM", 16, 0, 0)], "L3-MEM 16 B (load)"),
        ([L1_L2, LinkTraffic("L2-L3", 8, 0, 0)], "L1-L2 to L2-L3 8 B (load)"),
        ([L1_L2, LinkTraffic("L2-L3", 0, 0, 0)], "L1-L2 8 B (load); L2-L3 0 B"),
        ([LinkTraffic("L1-L2", 0, 0, 0), LinkTraffic("L2-L3", 0, 0, 0)], "none"),
        ([LinkTraffic("L3-MEM", 12, 0, 0, (12.0, 76.0))], "L3-MEM 12 to 76 B"),
        ([LinkTraffic("L3-MEM", 1e-9, 0, 1e-9)], "L3-MEM <0.001 B"),
        ([], ""),
    ],
)  # fmt: skip
def test_traffic_in_words(links: list[LinkTraffic], text: str) -> None:
    assert traffic_words(links) == text


def test_shortened() -> None:
    assert truncate("n - 1", 5) == "n - 1"
    assert truncate("n - 12", 5) == "n -…"


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


def test_bytes_that_no_iteration_notices_are_not_taken_apart() -> None:
    far = LinkTraffic("L2-L3", 2e-4, 1e-4, 1e-4)
    assert traffic_words([L1_L2, far]) == "L1-L2 8 B (load); L2-L3 <0.001 B"


def test_an_index_has_the_name_of_the_source() -> None:
    loops = (LoopHeader("i", 3, "n", "1"), LoopHeader("j'2", 4, "m", "2"))
    assert nest_words(loops) == "for i in n, j in m step 2"
