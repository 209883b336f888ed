"""Predictions along a sweep: the sizes between those measured, borders of levels, breaks."""

from collections.abc import Mapping

import pytest
from msgspec.structs import replace
from rooflint.measure.confrontation.course import (
    FINENESS,
    MOST_BREAKS,
    Course,
    CourseKnot,
    LayerMove,
    course_of,
)
from rooflint.measure.confrontation.forecast import Forecast


class Models:
    """A layer leaves the next level behind each of ``breaks``."""

    def __init__(self, forecast: Forecast, *breaks: int) -> None:
        self.forecast = forecast
        self.breaks = breaks
        self.asked: list[dict[str, int]] = []

    def at(self, sizes: Mapping[str, int], level: str) -> Forecast:
        self.asked.append(dict(sizes))
        behind = sum(sizes["n"] > each for each in self.breaks)
        layers = ({"rows of a": f"L{behind + 1}"},)
        return replace(self.forecast, residency=level, sizes=sizes, layers=layers)

    def course(self, *knots: tuple[int, int, int]) -> Course | None:
        made = [CourseKnot(sizes={"n": n, "m": m}, touched_bytes=b) for n, m, b in knots]
        return course_of("n", made, self.at, lambda size: "L1" if size <= 4096 else "L2")


@pytest.mark.parametrize("limit", [101, 300, 1365, 1536, 4999])
def test_a_break_is_found_to_the_last_size(limit: int, forecast: Forecast) -> None:
    course = Models(forecast, limit).course((100, 50, 1000), (5000, 1, 1000))
    assert course is not None
    (found,) = course.breaks
    assert found.size == limit
    assert found.moves == (LayerMove(layer="rows of a", before="L1", after="L2"),)
    sizes = [sample.size for sample in course.samples]
    assert sizes == sorted(set(sizes))
    assert {limit, limit + 1} <= set(sizes)


@pytest.mark.parametrize("limit", [99, 5000])
def test_none_outside(limit: int, forecast: Forecast) -> None:
    course = Models(forecast, limit).course((100, 50, 1000), (5000, 1, 1000))
    assert course is not None
    assert course.breaks == ()


def test_breaks_that_could_not_be_named_are_left_out(forecast: Forecast) -> None:
    course = Models(forecast, *range(200, 4000, 200)).course((100, 50, 1000), (5000, 1, 1000))
    assert course is not None
    assert len(course.breaks) == MOST_BREAKS


def test_both_sides_of_a_level_are_samples(forecast: Forecast) -> None:
    models = Models(forecast)
    course = models.course((100, 1, 800), (10_000, 1, 80_000))
    assert course is not None
    last = max(sample.size for sample in course.samples if sample.level == "L1")
    first = min(sample.size for sample in course.samples if sample.level == "L2")
    assert (last, first) == (512, 513)
    assert len(models.asked) <= FINENESS + 4


def test_other_sizes_keep_the_data(forecast: Forecast) -> None:
    models = Models(forecast)
    models.course((100, 400, 320_000), (1000, 40, 320_000), (4000, 10, 320_000))
    assert {"n": 1000, "m": 40} in models.asked
    for sizes in models.asked:
        assert sizes["n"] * sizes["m"] == pytest.approx(40_000, rel=0.05)


def test_a_size_of_zero_is_no_power(forecast: Forecast) -> None:
    course = Models(forecast).course((100, 0, 1000), (200, 0, 1000))
    assert course is not None
    assert all(sample.forecast.sizes["m"] == 0 for sample in course.samples)


def test_one_size_has_no_course(forecast: Forecast) -> None:
    assert Models(forecast).course((100, 1, 1000)) is None
    assert Models(forecast).course((100, 1, 1000), (100, 1, 2000)) is None
    assert Models(forecast).course() is None
