"""Where the value of a size parameter comes from, and which value it gets."""

from types import ModuleType

import pytest
from msgspec import structs
from rooflint.errors import UsageError
from rooflint.facts import facts_of
from rooflint.ir import Function, Parameter, Poly
from rooflint.scenario.resolution import resolve
from rooflint.scenario.roles import SizeRole
from rooflint.scenario.sizes import Size, SizeLayer, Sizes, parse_size, sizes_by_name
from rooflint.scenario.values import GuessedRange


def sizes(function: Function, *given: SizeLayer) -> Sizes:
    return resolve(facts_of(function), function, given)


def with_parameters(function: Function, *names: str) -> Function:
    return structs.replace(function, parameters=tuple([Parameter(name, "i32") for name in names]))


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


def test_a_name_is_given_one_value() -> None:
    assert sizes_by_name([("n", 3), ("m", 4), ("n", 3)]) == {"n": 3, "m": 4}
    with pytest.raises(UsageError) as caught:
        sizes_by_name([("p->n", 3), ("p.n", 4)])
    assert str(caught.value) == "-D p.n=4 contradicts -D p->n=3; give one of the two"


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


def test_a_parameter_has_the_values_of_lengths(build: ModuleType, nests: ModuleType) -> None:
    function = with_parameters(nests.streaming(build)["triad"], "n")
    assert sizes(function).by_name["n"] == Size(
        value=250,
        origin="role",
        detail="length parameter: 40 to 6000",
        range=GuessedRange(
            name="n",
            low=40,
            quartiles=(190, 500),
            typical=250,
            high=6000,
            role=SizeRole.LENGTH_PARAMETER,
        ),
    )
    assert sizes(function).guessed == ("n",)
    assert sizes(function, SizeLayer("command line", {"n": 7})).guessed == ()


def test_a_variable_has_the_values_of_locals(build: ModuleType, nests: ModuleType) -> None:
    n = sizes(nests.streaming(build)["triad"]).by_name["n"]
    assert (n.value, n.detail) == (32, "local: 4 to 4000")


@pytest.mark.parametrize(
    ("bound", "value", "detail"),
    [
        ("steps", 10, "time steps: 1 to 100"),
        ("width", 500, "extent: 32 to 4000"),
        ("p->n", 1000, "member: 16 to 100000"),
        ("v.size()", 64, "container: 4 to 4000"),
        ("n[2]", 16, "element: 8 to 1000"),
    ],
)
def test_kinds_of_names(build: ModuleType, bound: str, value: int, detail: str) -> None:
    a = build.array("a", "f64", None)
    nest = build.loop("i", 0, Poly.symbol(bound), a["i"].set(a["i"] * 2.0))
    n = sizes(build.function("f", [a], nest)).by_name[bound]
    assert (n.value, n.origin, n.detail) == (value, "role", detail)


def strided(build: ModuleType, leading: str) -> Function:
    """``a[i*leading + j]`` for j < n."""
    a = build.array("a", "f64", None)
    place = f"{leading}*i + j"
    body = build.loop("j", 0, "n", a[place].set(a[place] * 2.0))
    found: Function = build.function("f", [a], build.loop("i", 0, 4, body))
    return with_parameters(found, "n", leading)


def test_a_leading_dimension_is_as_long_as_its_row(build: ModuleType) -> None:
    lda = sizes(strided(build, "lda")).by_name["lda"]
    assert lda.value == 250
    given = SizeLayer("command line", {"n": 1000})
    lda = sizes(strided(build, "lda"), given).by_name["lda"]
    assert (lda.value, lda.origin) == (1000, "role")
    assert lda.range is not None
    assert (lda.range.low, lda.range.typical) == (1000, 1000)
    assert lda.detail == "leading dimension: 40 to 6000, a row of 1000 elements"
    assert sizes(strided(build, "lda"), given._replace(sizes={"n": 9})).values["lda"] == 9


@pytest.mark.parametrize(("row", "stride"), [(31, 32), (32, 32), (33, 33)])
def test_a_stride_is_no_shorter_than_its_row(build: ModuleType, row: int, stride: int) -> None:
    # the parameter k is guessed 32, and a row of n elements has to fit
    given = SizeLayer("command line", {"n": row})
    k = sizes(strided(build, "k"), given).by_name["k"]
    assert k.value == stride
    assert k.range is not None
    assert (k.range.low, k.range.typical) == ((8, 32) if row <= 32 else (row, row))
    # what is set is not widened
    assert sizes(strided(build, "k"), SizeLayer("comment", {"n": row, "k": 5})).values["k"] == 5


@pytest.mark.parametrize(("offset", "value"), [("k*i + 2*i + j", 32), ("k*i + 2*j", 2 * 19 + 1)])
def test_what_is_added_to_a_stride_is_no_row(build: ModuleType, offset: str, value: int) -> None:
    # records of 2 + k elements: a hundred of them are no row that k strides over
    a = build.array("a", "i8", None)
    body = build.loop("j", 0, 20, a[offset].set(a[offset] * 2))
    function = with_parameters(build.function("f", [a], build.loop("i", 0, 100, body)), "k")
    assert sizes(function).values["k"] == value


@pytest.mark.parametrize(
    ("offset", "value"),
    [
        ("n + 16*j", 250),  # n is where the outer loop begins, and blocks are walked from there
        ("n*j + k", 100 * 16 + 1),  # n strides over rows of them
    ],
)
def test_where_a_loop_begins_is_no_stride(build: ModuleType, offset: str, value: int) -> None:
    a = build.array("a", "i8", None)
    if offset == "n + 16*j":
        nest = build.loop("k", 0, "n", build.loop("j", 0, 347, a[offset].set(a[offset] * 2)))
    else:
        inner = build.loop("k", 0, 100 * 16 + 1, a[offset].set(a[offset] * 2))
        nest = build.loop("j", 0, "n", inner)
    function = with_parameters(build.function("f", [a], nest), "n")
    assert sizes(function).values["n"] == value


def test_lower_ends_are_zero(build: ModuleType) -> None:
    a = build.array("a", "f64", None)
    nest = build.loop("i", "begin", "end", a["i"].add(a["i"]))
    found = sizes(build.function("f", [a], nest)).by_name
    assert (found["begin"].value, found["begin"].detail) == (0, "lower bound: 0")
    assert found["end"].value == 32


def test_rows_known_at_run_time(build: ModuleType, nests: ModuleType) -> None:
    name = "row[i+1]-row[i]"
    found = sizes(nests.spmv(build)).by_name
    assert (found[name].value, found[name].origin) == (27, "role")
    assert found[name].detail == "row: 4 to 100"
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
    assert sizes(function).values == {"n": 2100, "m": 1900}


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
