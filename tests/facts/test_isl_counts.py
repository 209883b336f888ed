"""Counts of iterations and of distinct lines against isl, which counts points of integer sets."""

from types import ModuleType
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rooflint.facts import space_of
from rooflint.ir import Function, Loop, walk
from rooflint.replay import ReplayLevel, ReplaySettings, portable
from rooflint.replay.lowering import lower_function
from rooflint.replay.placement import page_layout

isl = pytest.importorskip("islpy")

PROPERTY = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
LINE, ROOMY = 64, ReplayLevel(1, 4096)
FORMS = (
    ("{n}", "{n}"),
    ("{outer}", "{outer}"),
    ("{outer} + {n}", "{outer} + {n}"),
    ("{n} - {outer}", "{n} - {outer}"),
    ("({outer} + {n}) // 3", "floor(({outer} + {n}) / 3)"),
    ("2*{outer} - {n}", "2*{outer} - {n}"),
)
"""Bounds, as the source and as isl has them."""


class Nest(NamedTuple):
    """A nest of loops over one array, and the set of its iterations in the words of isl."""

    function: Function
    domain: str
    place: str


@st.composite
def nests_of_bounds(draw: st.DrawFn, build: ModuleType) -> Nest:
    depth = draw(st.integers(1, 3))
    constraints, loops = list[str](), list[tuple[str, str, str]]()
    for position, index in enumerate("ijk"[:depth]):
        outer = "ijk"[position - 1] if position else "0"
        bounds: list[str] = []
        for sign in ("<=", ">"):
            ours, theirs = draw(st.sampled_from(FORMS))
            number = draw(st.integers(0, 9))
            bounds.append(ours.format(n=number, outer=outer))
            constraints.append(f"{theirs.format(n=number, outer=outer)} {sign} {index}")
        loops.append((index, bounds[0], bounds[1]))
    strides = [draw(st.sampled_from((0, 8, 24, 64, 136))) for _ in loops]
    steps = zip(strides, loops, strict=True)
    place = " + ".join([f"{step}*{index}" for step, (index, _, _) in steps])
    a = build.array("a", "f64", 100_000)
    body = build.assign("t", build.carried("t") + a.at(f"{place} + 40000"))
    for index, lower, upper in reversed(loops):
        body = build.loop(index, lower, upper, body)
    names = ", ".join([index for index, _, _ in loops])
    return Nest(
        function=build.function("f", [a], body),
        domain=f"[{names}] : {' and '.join(constraints)}",
        place=place,
    )


def counted(text: str) -> int:
    return int(isl.Set(text).count_val().to_python())


@PROPERTY
@given(data=st.data())
def test_iterations_are_the_points_of_the_set(build: ModuleType, data: st.DataObject) -> None:
    nest = data.draw(nests_of_bounds(build))
    loops = tuple([each for each in walk(nest.function.body) if isinstance(each, Loop)])
    space = space_of(loops, {})
    if not space.inexact:
        assert space.executions == counted(f"{{ {nest.domain} }}")


@PROPERTY
@given(data=st.data())
def test_a_cache_with_room_misses_each_line_once(build: ModuleType, data: st.DataObject) -> None:
    nest = data.draw(nests_of_bounds(build))
    layout = page_layout(nest.function, {})
    program = lower_function(nest.function, layout, {})
    counts = portable.replay(program, [ROOMY], ReplaySettings(limit=10**6))
    lines = sum([counts.lines(0, 0, each).misses for each in range(len(program.references))])
    begin = layout["a"] + 40000
    indices, _, constraints = nest.domain.partition(" : ")
    names = indices.strip("[]")
    line = f"floor(({nest.place} + {begin}) / {LINE})"
    assert lines == counted(f"{{ [l] : exists {names} : {constraints} and l = {line} }}")


def test_isl_counts_what_is_counted_by_hand() -> None:
    assert counted("{ [i, j] : 0 <= i < 4 and i <= j < 4 }") == 10
    assert counted("{ [l] : exists i : 0 <= i < 20 and l = floor(8 * i / 64) }") == 3
