"""Where functions of a file and loops of a function lie, and the shares of places there."""

import pytest
from rooflint.ir.unit import Span
from rooflint.pipeline.weights.placed_times import (
    FileShares,
    NestedSpans,
    PlacedFunction,
    PlacedLoopShare,
    PlaceShare,
    ProgramShares,
    known_times,
)

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
    assert NestedSpans(SPANS).around(place) == functions


def test_a_file_without_functions_has_none_around() -> None:
    assert NestedSpans([]).around((1, 1)) == []


def test_what_begins_in_a_span() -> None:
    spans = NestedSpans(SPANS)
    assert spans.beginning_in(Span(10, 1, 20, 2)) == [0, 1, 2]
    assert spans.beginning_in(Span(10, 2, 15, 5)) == [1]
    assert spans.beginning_in(Span(10, 2, 15, 6)) == [1, 2]
    assert spans.beginning_in(Span(40, 2, 50, 1)) == []


LOOPS = (
    PlacedLoopShare(Span(12, 5, 18, 6), 0.125),
    PlacedLoopShare(Span(13, 9, 14, 10), 0.25),  # inside of the first
    PlacedLoopShare(Span(19, 5, 19, 30), 0.0625),
    PlacedLoopShare(Span(19, 5, 19, 30), 0.03125),  # of the same macro
)


@pytest.mark.parametrize(
    ("place", "share"),
    [
        ((11, 1), 0.5),  # no loop: that of the function
        ((12, 5), 0.375),  # a loop with those inside
        ((13, 9), 0.25),
        ((14, 10), 0.375),
        ((19, 5), 0.09375),
        ((19, 30), 0.5),
    ],
)
def test_the_share_of_a_place(place: tuple[int, int], share: float) -> None:
    function = PlacedFunction(
        span=Span(10, 1, 20, 2), reached=True, executions=1.0, share=0.5, loops=LOOPS
    )
    files = {"/a.c": FileShares(functions=(function,))}
    shares = ProgramShares(origin="static", entries=1, several=False, files=files)
    at = Span(*place, *place)
    assert known_times(shares).share_at("/a.c", at) == PlaceShare(0.5, share)
