"""The arithmetic of the accuracy table, on rows that are made up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.measure.corpus.accuracy import WORST, AccuracyTable, accuracy_table, rank_correlation
from rooflint.measure.corpus.rows import CorpusPlace, CorpusRow, ModelRow, PointRow
from rooflint.measure.protocol import Doubt, MeasureVerdict
from rooflint.measure.refusals import RefusalCode

STABLE = MeasureVerdict.STABLE


def point(
    ratio: float, cycles: float = 2.0, level: str = "L1", verdict: MeasureVerdict = STABLE
) -> PointRow:
    model = ModelRow(model="ecm", cycles=ratio * cycles, suspect="core")
    return PointRow(level=level, sizes={}, verdict=verdict, cycles=cycles, models=(model,))


def row(name: str, *points: PointRow, refusal: RefusalCode | None = None) -> CorpusRow:
    place = CorpusPlace(corpus="a", path="f.c", function=name, line=1, setup="")
    return CorpusRow(place=place, points=points, refusal=refusal)


def table(*ratios: float) -> AccuracyTable:
    return accuracy_table([row(str(n), point(r)) for n, r in enumerate(ratios)])


def test_quantiles_and_shares() -> None:
    (cell,) = table(0.5, 0.8, 1.0, 1.25, 1.5, 2.5).levels
    assert cell.count == 6
    assert cell.median == pytest.approx(1.125)
    assert cell.p10 == pytest.approx(0.65)
    assert cell.p90 == pytest.approx(2.0)
    assert cell.within == pytest.approx((3 / 6, 4 / 6, 5 / 6))


@pytest.mark.parametrize(
    ("ratio", "within"),
    [(1.25, 1), (1.2501, 0), (0.8, 1), (0.7999, 0)],
)
def test_a_factor_holds_on_both_sides(ratio: float, within: int) -> None:
    assert table(ratio).levels[0].within[0] == within


def test_only_stable_figures_count() -> None:
    rows = [
        row("f", point(1.0)),
        row("g", point(9.0, verdict=MeasureVerdict.DISTURBED)),
        row("h", point(9.0, verdict=MeasureVerdict.NOT_THE_LOOP)),
    ]
    found = accuracy_table(rows)
    assert [cell.count for cell in found.levels] == [1]
    assert found.points == {"disturbed": 1, "not the loop": 1, "stable": 1}
    (share,) = found.shares
    assert (share.kernels, share.measured, share.stable) == (3, 2, 1)


def test_refusals_and_doubts_are_counted_by_name() -> None:
    doubted = PointRow(
        level="L1",
        sizes={},
        verdict=MeasureVerdict.NOT_THE_LOOP,
        doubts=(Doubt.TOO_SHORT.name,),
    )
    late = PointRow(
        level="L2", sizes={}, verdict=MeasureVerdict.REFUSED, refusal=RefusalCode.NO_RETURN
    )
    rows = [row("f", doubted, late), row("g", refusal=RefusalCode.FAULT)]
    rows.append(row("h", refusal=RefusalCode.FAULT))
    found = accuracy_table(rows)
    assert found.refusals == {"fault": 2, "no-return": 1}
    assert found.doubts == {"TOO_SHORT": 1}
    assert found.levels == ()


def test_levels_are_apart() -> None:
    found = accuracy_table([row("f", point(1.0), point(2.0, level="L2"))])
    assert [(cell.level, cell.median) for cell in found.levels] == [("L1", 1.0), ("L2", 2.0)]


def test_the_farthest_are_named_first_whichever_side_they_are_on() -> None:
    found = table(1.0, 3.0, 0.25, *[1.1] * WORST)
    assert len(found.worst) == WORST
    assert [each.ratio for each in found.worst[:3]] == pytest.approx([0.25, 3.0, 1.1])
    assert found.worst[0].name == "f.c:1 2"
    assert found.worst[0].suspect == "core"


def test_ranks() -> None:
    assert rank_correlation([1, 2, 3], [10, 40, 90]) == pytest.approx(1)
    assert rank_correlation([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert rank_correlation([1, 1, 2], [1, 1, 5]) == pytest.approx(1)
    assert rank_correlation([1, 2], [1, 2]) is None
    assert rank_correlation([1, 1, 1], [1, 2, 3]) is None


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=20))
def test_quantiles_are_in_order_and_shares_grow(ratios: list[float]) -> None:
    (cell,) = table(*ratios).levels
    assert cell.p10 <= cell.median * (1 + 1e-9)
    assert cell.median <= cell.p90 * (1 + 1e-9)
    assert list(cell.within) == sorted(cell.within)


def test_nothing_measured_is_a_table() -> None:
    assert accuracy_table([]).shares == ()
