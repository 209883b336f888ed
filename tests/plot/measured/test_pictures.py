"""Scenes of a recorded sweep: lines, bands, points, breaks, and the ends of each."""

from itertools import pairwise

import pytest
from msgspec.structs import replace
from rooflint.measure.protocol import Figure, MeasureVerdict
from rooflint.measure.refusals import MeasureRefusal, RefusalCode
from rooflint.measure.results import MeasurementReport
from rooflint.plot.measured.chart import Chart
from rooflint.plot.measured.pictures import (
    contributions_chart,
    cores_chart,
    pictures,
    sweep_chart,
)

BREAK = (48 << 10) // (4 * 8)
"""Three rows of one array and one of the other fill L1 of the machine of the models."""


@pytest.fixture
def sweep(recording: MeasurementReport) -> Chart:
    assert recording.course is not None
    return sweep_chart(recording, recording.course)


@pytest.fixture
def parts(recording: MeasurementReport) -> Chart:
    assert recording.course is not None
    chart = contributions_chart(recording, recording.course, "ecm")
    assert chart is not None
    return chart


def height(chart: Chart, name: str, x: float) -> float:
    """Of a line at a sample."""
    (line,) = [each for each in chart.lines if each.name == name]
    return next(y for piece in line.pieces for at, y in piece if at == x)


def test_the_break_stands_alone_between_points(sweep: Chart) -> None:
    (mark,) = sweep.marks
    assert (mark.x, mark.text) == (BREAK, f"{BREAK}: rows of a L1 → L2")
    below = [point.y for point in sweep.points if point.x <= BREAK]
    above = [point.y for point in sweep.points if point.x > BREAK]
    assert (len(below), len(above)) == (6, 5)
    assert max(below) < min(above)
    assert [(zone.name, zone.start, zone.stop) for zone in sweep.zones] == [("L2", 256, 8192)]


def test_lines_rise_behind_the_break(sweep: Chart) -> None:
    assert [line.name for line in sweep.lines] == ["ecm", "roofline"]
    # ends of short rows cost the core some time, and the roofline knows none
    for name, ends in (("ecm", 0.15), ("roofline", 0.01)):
        flat = [height(sweep, name, x) for x in (256, BREAK)]
        assert 0.99 * flat[1] <= flat[0] <= (1 + ends) * flat[1]
        assert height(sweep, name, 8192) > 1.2 * flat[1]


def test_points_have_bars(sweep: Chart) -> None:
    first = sweep.points[0]
    assert (first.x, first.y, first.is_stable) == (256, 0.956, True)
    assert first.batches == pytest.approx((0.956, 1.362))
    assert first.processes == pytest.approx((0.956, 1.056))


def test_lines_of_work(sweep: Chart) -> None:
    """Eight doubles fill a line."""
    assert sweep.per_line == 8


def test_bands_add_up_to_the_total(parts: Chart) -> None:
    """No rate of this machine is slower than the sum with the data in L2."""
    assert [band.name for band in parts.bands] == ["T_nOL", "L1-L2"]
    for lower, upper in pairwise(parts.bands):
        assert [under for under, _ in lower.pieces] == [base for _, base in upper.pieces]
    total = next(line for line in parts.lines if line.is_thick)
    (top,) = [upper for upper, _ in parts.bands[-1].pieces]
    for (x, y), (at, sum_of_bands) in zip(total.pieces[0], top, strict=True):
        assert x == at
        assert y == pytest.approx(sum_of_bands)
    assert total.name == "ecm in total"
    assert [line.name for line in parts.lines] == ["T_OL, overlaps", "ecm in total"]


def test_a_model_without_contributions_has_no_such_picture(recording: MeasurementReport) -> None:
    assert recording.course is not None
    assert contributions_chart(recording, recording.course, "roofline") is None
    assert [each.name for each in pictures(recording)] == ["sweep", "ecm-parts"]


def test_points_that_are_not_of_the_loop_are_left_out(recording: MeasurementReport) -> None:
    assert recording.course is not None
    first, second, *others = recording.points
    assert first.figure is not None
    assert second.figure is not None
    refusal = MeasureRefusal(code=RefusalCode.BUDGET, arguments=("sweep",))
    points = (
        replace(first, figure=with_verdict(first.figure, MeasureVerdict.NOT_THE_LOOP)),
        replace(second, figure=with_verdict(second.figure, MeasureVerdict.DISTURBED)),
        replace(others[0], figure=None, cy_per_iteration=None, refusal=refusal),
        *others[1:],
    )
    chart = sweep_chart(replace(recording, points=points), recording.course)
    assert [point.is_stable for point in chart.points] == [False, *[True] * 8]
    assert chart.subtitle.endswith("; 2 without a figure")


def with_verdict(figure: Figure, verdict: MeasureVerdict) -> Figure:
    return replace(figure, verdict=verdict)


def test_cores_up_to_saturation(in_memory: MeasurementReport) -> None:
    chart = cores_chart(in_memory, "ecm")
    assert chart is not None
    (mark,), (line,), (point,) = chart.marks, chart.lines, chart.points
    assert mark.text == f"n_S = {mark.x:.0f}"
    rates = dict(line.pieces[0])
    saturation = int(mark.x)
    assert list(rates) == list(range(1, 2 * saturation + 2))
    assert rates[saturation - 1] == pytest.approx((saturation - 1) * rates[1])
    assert rates[saturation] < saturation * rates[1]
    assert rates[saturation] == pytest.approx(rates[2 * saturation])
    assert point.x == 1
    assert point.y == pytest.approx(1 / 1.438)
    assert point.batches[1] == pytest.approx(point.y)
    assert point.processes[0] < point.y


def test_points_on_several_cores_stand_at_their_number(in_memory: MeasurementReport) -> None:
    (one,) = in_memory.points
    assert one.cy_per_iteration is not None
    two = replace(one, cores=2, cy_per_iteration=one.cy_per_iteration / 2)
    chart = cores_chart(replace(in_memory, points=(one, two)), "ecm")
    assert chart is not None
    assert [point.x for point in chart.points] == [1.0, 2.0]
    assert chart.points[1].y == pytest.approx(2 * chart.points[0].y)
    assert "measured on 1, 2 cores, each with data of its own" in chart.subtitle


def test_a_sweep_shows_the_fewest_cores(recording: MeasurementReport) -> None:
    assert recording.course is not None
    both = [replace(point, cores=cores) for cores in (4, 2) for point in recording.points]
    chart = sweep_chart(replace(recording, points=tuple(both)), recording.course)
    assert len(chart.points) == len(recording.points)
    assert "; 2 cores of some Xeon" in chart.subtitle


def test_no_cores_where_memory_is_not_used(recording: MeasurementReport) -> None:
    assert cores_chart(recording, "ecm") is None


def test_one_point_has_no_sweep(in_memory: MeasurementReport) -> None:
    assert [each.name for each in pictures(in_memory)] == ["ecm-cores"]


def test_nothing_measured_gives_no_picture(recording: MeasurementReport) -> None:
    assert list(pictures(replace(recording, points=(), course=None))) == []
