"""Where the value of a size parameter comes from, and which value it gets."""

from types import ModuleType

import pytest
from rooflint.errors import UsageError
from rooflint.facts import NestFootprint, facts_of
from rooflint.ir import Function
from rooflint.scenario.sizes import SizeLayer, Sizes, parse_size, resolve

MIB = 1 << 20


def sizes(function: Function, *given: SizeLayer, capacity_bytes: float = MIB) -> Sizes:
    arrays = {array.name: array for array in function.arrays}
    return resolve(facts_of(function), arrays, given, capacity_bytes, 64)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("N=4096", ("N", 4096)),
        ("n=1e6", ("n", 1_000_000)),
        ("n = 0x1000", ("n", 4096)),
        ("row[i+1]-row[i]=27", ("row[i+1]-row[i]", 27)),
        ("row[i + 1] - row[i] = 27", ("row[i+1]-row[i]", 27)),
        ("a==b=1", ("a==b", 1)),
        ("k=-3", ("k", -3)),
    ],
)
def test_definitions(text: str, expected: tuple[str, int]) -> None:
    assert parse_size(text) == expected


@pytest.mark.parametrize("text", ["N", "N=", "=4", "N=x", "N=1.5", "N=inf", "N=nan"])
def test_wrong_definitions_are_one_clear_line(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_size(text)
    assert str(caught.value).startswith(f"-D {text}: ")
    assert "\n" not in str(caught.value)
    assert "4096" in str(caught.value)


def test_the_first_layer_that_names_a_size_wins(build: ModuleType, nests: ModuleType) -> None:
    layers = (
        SizeLayer("command line", {"ni": 10}),
        SizeLayer("comment", {"ni": 20, "nj": 21}),
        SizeLayer("configuration", {"ni": 30, "nj": 31, "nk": 32}),
    )
    found = sizes(nests.gemm(build), *layers).by_name
    assert {name: (size.value, size.origin) for name, size in found.items()} == {
        "ni": (10, "command line"),
        "nj": (21, "comment"),
        "nk": (32, "configuration"),
    }


def test_sizes_of_other_loops_are_not_taken(build: ModuleType, nests: ModuleType) -> None:
    found = sizes(nests.streaming(build)["copy"], SizeLayer("command line", {"n": 5, "m": 6}))
    assert dict(found.values) == {"n": 5}


def test_extents_in_the_source_bound_a_size(build: ModuleType) -> None:
    c = build.array("C", "f64", 1000, 1100)
    body = c["i", "j"].set(c["i", "j"] * 2.0)
    nest = build.loop("i", 0, "ni", build.loop("j", 0, "nj", body))
    found = sizes(build.function("f", [c], nest)).by_name
    assert {name: (size.value, size.origin) for name, size in found.items()} == {
        "ni": (1000, "source"),
        "nj": (1100, "source"),
    }


def test_shifted_accesses_stay_inside_the_extent(build: ModuleType) -> None:
    # for i in 1 .. n-1: a[i-1] and a[i+1] of a[1300]; i + 1 <= n - 1 <= 1299
    a, b = build.array("a", "f64", 1300), build.array("b", "f64", 1300)
    body = b["i"].set(a["i - 1"] + a["i + 1"])
    found = sizes(build.function("f", [a, b], build.loop("i", 1, "n - 1", body))).by_name
    assert found["n"][:2] == (1300, "source")


@pytest.mark.parametrize("capacity_bytes", [256 * 1024, 20 * MIB])
def test_the_default_fills_four_times_the_cache(
    build: ModuleType, nests: ModuleType, capacity_bytes: int
) -> None:
    for function in (nests.streaming(build)["triad"], nests.jacobi2d(build), nests.lu(build)):
        arrays = {array.name: array for array in function.arrays}
        facts = facts_of(function)
        found = resolve(facts, arrays, (), capacity_bytes, 64)
        assert found.by_name["n"].origin == "default"
        assert found.defaulted == ("n",)
        footprint = NestFootprint(facts, arrays, 64).bytes_at(found.values)
        # a multiple of 8 rows of 256 doubles is 6 % off at most
        assert 4 * capacity_bytes <= footprint <= 4.25 * capacity_bytes


def test_the_default_of_a_vector_by_hand(build: ModuleType, nests: ModuleType) -> None:
    # copy touches 16 B an element: 4 MiB / 16 B = 262144
    assert sizes(nests.streaming(build)["copy"]).values["n"] == 262144


def test_all_unknown_sizes_are_equal(build: ModuleType, nests: ModuleType) -> None:
    found = sizes(nests.gemm(build), SizeLayer("command line", {"nk": 8}))
    assert found.values["ni"] == found.values["nj"] != 8


def sweep(build: ModuleType, *inner: object) -> Function:
    found: Function = build.function(
        "f", [build.array("a", "f64", None)], build.loop("t", 0, "nt", *inner)
    )
    return found


def test_repetitions_are_few(build: ModuleType) -> None:
    # for t < nt: for i < n: a[i] = 2*a[i]; only n moves data: 4 MiB / 8 B = 524288
    a = build.array("a", "f64", None)
    loop = build.loop("i", 0, "n", a["i"].set(a["i"] * 2.0))
    found = sizes(sweep(build, loop)).by_name
    assert found["nt"][:2] == (100, "default")
    assert found["nt"].detail.startswith("a repetition over the same data")
    assert found["n"][:2] == (524288, "default")
    # what the time loop owns itself, moving nothing either, changes nothing
    owner = sweep(build, loop, a["0"].set(a["0"] * 2.0))
    assert sizes(owner).values["nt"] == 100


def test_a_count_that_shapes_anything_is_no_repetition(build: ModuleType) -> None:
    a = build.array("a", "f64", None)
    bounded = build.loop("i", 0, "t", a["i"].set(a["i"] * 2.0))
    strided = build.loop("i", 0, "n", a["nt*i"].set(a["nt*i"] * 2.0))
    shared = build.loop("i", 0, "nt", a["i"].set(a["i"] * 2.0))
    moving = build.loop("i", 0, "n", a["i + t"].set(a["i + t"] * 2.0))
    for inner in (bounded, strided, shared, moving):
        assert sizes(sweep(build, inner)).values["nt"] > 100
    # a loop around nothing is the work itself: its own count stays as it was
    alone = sweep(build, a["0"].add(a["0"]))
    assert sizes(alone).values["nt"] == 1024


def test_a_repetition_that_is_set_is_kept(build: ModuleType) -> None:
    a = build.array("a", "f64", None)
    loop = build.loop("i", 0, "n", a["i"].set(a["i"] * 2.0))
    assert sizes(sweep(build, loop), SizeLayer("command line", {"nt": 7})).values["nt"] == 7


def test_lower_ends_default_to_zero(build: ModuleType) -> None:
    a = build.array("a", "f64", None)
    nest = build.loop("i", "begin", "end", a["i"].add(a["i"]))
    found = sizes(build.function("f", [a], nest)).by_name
    assert found["begin"].value == 0
    assert found["end"].value == 4 * MIB // 8


def test_rows_known_at_run_time(build: ModuleType, nests: ModuleType) -> None:
    name = "row[i+1]-row[i]"
    found = sizes(nests.spmv(build)).by_name
    assert (found[name].value, found[name].origin) == (16, "default")
    # given by name, with spaces, or as the trip count of loop j
    for layer in (
        SizeLayer("command line", {"row[i + 1] - row[i]": 27}),
        SizeLayer("comment", {}, {"j": 27}),
    ):
        assert sizes(nests.spmv(build), layer).by_name[name][:2] == (27, layer.origin)


def test_a_trip_count_sets_the_size_in_the_bound(build: ModuleType, nests: ModuleType) -> None:
    # jacobi2d's j runs n - 2 times
    found = sizes(nests.jacobi2d(build), SizeLayer("comment", {}, {"j": 100})).by_name
    assert found["n"][:2] == (102, "comment")


def test_a_size_without_footprint_has_a_plain_default(build: ModuleType) -> None:
    a = build.array("a", "f64", 8)
    nest = build.loop("i", 0, "n", a[0].add(a[1]))
    assert sizes(build.function("f", [a], nest)).by_name["n"].detail == (
        "no size makes it exceed the caches"
    )


def test_a_footprint_that_cannot_grow_ends_the_search(build: ModuleType) -> None:
    # a[i] for i < n walks 1000 elements at most, whatever n is
    a = build.array("a", "f64", 1000)
    nest = build.loop("i", 0, "2*n", a["i"].add(a["i"]))
    assert sizes(build.function("f", [a], nest)).values["n"] == 1024


def test_constant_loops_need_none(build: ModuleType, nests: ModuleType) -> None:
    assert sizes(nests.streaming(build, 4096)["copy"]) == Sizes({}, {})


def test_an_index_speaks_only_inside_its_own_loops(build: ModuleType) -> None:
    # y[i] with i < n and tmp[i] with i < m: two loops named i, n = 2100 and m = 1900
    y = build.array("y", "f64", 2100)
    tmp = build.array("tmp", "f64", 1900)
    function = build.function(
        "f",
        [y, tmp],
        build.loop("i", 0, "n", y["i"].set(build.number(0))),
        build.loop("i", 0, "m", tmp["i"].set(build.number(0))),
    )
    arrays = {array.name: array for array in function.arrays}
    sizes = resolve(facts_of(function), arrays, (), 1 << 20, 64)
    assert sizes.values == {"n": 2100, "m": 1900}


@pytest.mark.parametrize(
    ("lower", "upper", "step", "n"),
    [
        # 100 iterations of i = 1, 3, …: the last is 199, and n = 201 the end that steps reach
        (1, "n", 2, 201),
        ("n", 0, -2, 200),
        (0, "n - 2", 3, 302),
        (0, "n", 1, 100),
    ],
)
def test_a_trip_count_of_steps_sets_the_size_in_the_bound(
    build: ModuleType, lower: str | int, upper: str | int, step: int, n: int
) -> None:
    a = build.array("a", "f64", None)
    nest = build.loop("i", lower, upper, a["i"].set(a["i"] * 2.0), step=step)
    found = sizes(build.function("f", [a], nest), SizeLayer("comment", {}, {"i": 100})).by_name
    assert found["n"][:2] == (n, "comment")
