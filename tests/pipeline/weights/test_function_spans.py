"""Where functions of a file lie."""

import pytest
from rooflint.ir.unit import Span
from rooflint.pipeline.weights.placed_times import FunctionSpans

SPANS = [
    (Span(10, 1, 20, 2), 0),
    (Span(12, 5, 14, 6), 1),  # inside of the first
    (Span(15, 5, 15, 30), 2),
    (Span(30, 1, 40, 2), 3),
    (Span(30, 1, 40, 2), 4),  # an instance of the same template
    (None, 5),
]


@pytest.mark.parametrize(
    ("place", "functions"),
    [
        ((9, 9), []),
        ((10, 1), [0]),
        ((12, 4), [0]),
        ((12, 5), [0, 1]),
        ((14, 6), [0]),  # an end is behind the last column
        ((15, 29), [0, 2]),
        ((19, 1), [0]),
        ((20, 2), []),
        ((30, 1), [3, 4]),
        ((40, 1), [3, 4]),
        ((40, 2), []),
    ],
)
def test_functions_around_a_place(place: tuple[int, int], functions: list[int]) -> None:
    assert FunctionSpans(SPANS).around(place) == functions


def test_a_file_without_functions_has_none_around() -> None:
    assert FunctionSpans([]).around((1, 1)) == []
