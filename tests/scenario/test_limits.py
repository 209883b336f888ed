"""Limits of a predicted run: which guesses shrink, how far, and what is said of it."""

from types import ModuleType

import pytest
from rooflint.facts import NestFootprint, facts_of
from rooflint.ir import Function
from rooflint.scenario.guesses import MAX_FOOTPRINT_BYTES, MAX_TRIPS, size_of
from rooflint.scenario.resolution import resolve
from rooflint.scenario.roles import SizeRole
from rooflint.scenario.sizes import Size, SizeLayer
from rooflint.scenario.values import ScenarioValue


def sizes(function: Function, **given: int) -> dict[str, Size]:
    layer = SizeLayer("command line", given)
    return dict(resolve(facts_of(function), function, (layer,)).by_name)


def cube(build: ModuleType, edge: str) -> Function:
    """Accesses to all of ``a[edge*edge*edge]``."""
    a = build.array("a", "f64", None)
    body = a[f"i*{edge}*{edge} + j*{edge} + k"].set(build.number(0))
    nest = build.loop("i", 0, edge, build.loop("j", 0, edge, build.loop("k", 0, edge, body)))
    found: Function = build.function("f", [a], nest)
    return found


def flat(build: ModuleType, bound: str) -> Function:
    a = build.array("a", "f64", None)
    found: Function = build.function("f", [a], build.loop("i", 0, bound, a["i"].set(a["i"] * 2.0)))
    return found


def test_data_fit_half_of_a_memory(build: ModuleType) -> None:
    # 500**3 elements of 8 B are 1 GB
    width = sizes(cube(build, "width"))["width"]
    assert (width.value, width.detail) == (500, "extent: 32 to 4000")
    # 1000**3 elements are 8 GB, and 812**3 below 4 GiB
    function = with_members(build)
    edge = sizes(function)["p->n"]
    arrays = {array.name: array for array in function.arrays}
    footprint = NestFootprint(facts_of(function), arrays, 64)
    assert footprint.bytes_at({"p->n": edge.value}) <= MAX_FOOTPRINT_BYTES
    assert footprint.bytes_at({"p->n": edge.value + 2}) > MAX_FOOTPRINT_BYTES
    assert edge.detail == (f"member: 16 to 100000; 1000 → {edge.value}, so that the data fit 4 GiB")
    assert edge.range is not None
    assert edge.range.high == edge.range.typical == edge.value


def with_members(build: ModuleType) -> Function:
    member = build.poly("n").substitute({"n": build.Poly.symbol("p->n")})
    a = build.array("a", "f64", None)
    place = build.poly("i") * member * member + build.poly("j") * member + build.poly("k")
    body = a[place].set(build.number(0))
    inner = build.loop("j", 0, member, build.loop("k", 0, member, body))
    found: Function = build.function("f", [a], build.loop("i", 0, member, inner))
    return found


@pytest.mark.parametrize(("edge", "shrinks"), [("1000*width*k", True), ("600*width*k", False)])
def test_a_loop_of_guesses_has_an_end(build: ModuleType, edge: str, shrinks: bool) -> None:
    # width is guessed 500, and the variable k 32: 16 million trips, or 9.6 million
    found = sizes(flat(build, edge))
    trips = int(edge.partition("*")[0]) * found["width"].value * found["k"].value
    assert trips <= MAX_TRIPS
    assert trips > 0.99 * MAX_TRIPS or not shrinks
    assert (found["width"].value, found["k"].value) == (500, 32) or shrinks


def test_a_size_that_hardly_counts_shrinks_to_one(build: ModuleType) -> None:
    # the elasticity of k is 10^-11: a power by its inverse is larger than any float
    assert sizes(flat(build, "1000000000000 + k"))["k"].value == 1


def test_what_is_set_does_not_shrink(build: ModuleType) -> None:
    found = sizes(flat(build, "1000*width*k"), width=10**9)
    assert found["width"].value == 10**9
    assert found["k"].value == 1


@pytest.mark.parametrize(
    ("low", "typical", "lowest"),
    [
        (MAX_TRIPS, MAX_TRIPS, 8),  # a number read byte by byte, beyond all limits
        (MAX_TRIPS // 8, MAX_TRIPS // 8, 8),  # a part of one
        (MAX_TRIPS // 8 - 1, MAX_TRIPS // 8 - 1, MAX_TRIPS // 8 - 1),  # what a source computes
        (MAX_TRIPS // 2, MAX_TRIPS, MAX_TRIPS // 2),  # a range is left
        (MAX_TRIPS // 2 + 1, MAX_TRIPS, 8),
    ],
)
def test_a_guess_at_the_limit_may_be_small(low: int, typical: int, lowest: int) -> None:
    assert SizeRole.ELEMENT.range.low == 8
    value = ScenarioValue(
        scope="read",
        name="length",
        low=low,
        typical=typical,
        high=typical,
        origin="role",
        quartiles=(low, typical),
        role=SizeRole.ELEMENT,
    )
    size = size_of("length", value)
    assert size.value == typical
    assert size.range is not None
    assert (size.range.low, size.range.high) == (lowest, typical)
