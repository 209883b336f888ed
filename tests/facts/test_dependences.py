"""Dependences: textbook cases by hand, and every real dependence of random nests is reported."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rooflint.dependence import memory_of
from rooflint.facts import dependences
from rooflint.facts.dependences import NestDependences, dependences_of
from rooflint.facts.directions import AccessPairTest, AccessSite, Vector
from rooflint.ir import Function, Loop, Node


def of(function: Function) -> NestDependences:
    return dependences_of(function.body, memory_of(function))


def listed(function: Function) -> list[tuple[str, int, int, Vector]]:
    return [(d.kind, d.source, d.sink, d.vector) for d in of(function).found]


def test_gauss_seidel_has_four_exact_distances(build: ModuleType) -> None:
    a = build.array("a", "f64", "n", "n")
    total = a["i - 1", "j"] + a["i", "j - 1"] + a["i + 1", "j"] + a["i", "j + 1"]
    inner = build.loop("j", 1, "n - 1", a["i", "j"].set(total))
    function = build.function("seidel", [a], build.loop("i", 1, "n - 1", inner))
    assert listed(function) == [
        ("flow", 4, 0, (1, 0)),
        ("flow", 4, 1, (0, 1)),
        ("anti", 2, 4, (1, 0)),
        ("anti", 3, 4, (0, 1)),
    ]


def test_matrix_product_carries_the_sum_in_k_alone(build: ModuleType) -> None:
    a, b, c = (build.array(name, "f64", "n", "n") for name in "ABC")
    body = c["i", "j"].add(a["i", "k"] * b["k", "j"])
    for index in "kji":
        body = build.loop(index, 0, "n", body)
    found = listed(build.function("gemm", [a, b, c], body))
    assert {vector for _, _, _, vector in found} == {(0, 0, 0), (0, 0, "<")}


@pytest.mark.parametrize(
    ("lower", "upper", "step", "write", "read", "vectors"),
    [
        (1, "n", 1, "i", "i - 1", {(1,)}),
        (0, "n", 2, "i", "i + 1", set()),  # even ones against odd ones
        (0, "n", 2, "i", "i + 4", {(2,)}),  # 4 elements apart are 2 iterations
        (0, "n", 1, "2*i", "2*i + 1", set()),  # GCD: 2 does not divide 1
        (0, "n", 1, "i", "i + n", set()),  # bounds: n iterations never reach n apart
        (0, "n//2", 1, "i", "n - 1 - i", set()),  # both halves of a reversal
        (0, "n", 1, "i", "2*i", {(0,), ("<",)}),  # i = 2*i' only at or after i'
        (0, "n", 1, "i", "0", {(0,), ("<",)}),
        ("n - 1", 0, -1, "i", "i - 1", {(1,)}),  # downwards the read comes first
    ],
)
def test_one_loop(
    build: ModuleType,
    lower: int | str,
    upper: int | str,
    step: int,
    write: str,
    read: str,
    vectors: set[Any],
) -> None:
    a = build.array("a", "f64", None)
    loop = build.loop("i", lower, upper, a[write].set(a[read]), step=step)
    assert {vector for _, _, _, vector in listed(build.function("f", [a], loop))} == vectors


def test_pairs_of_one_distance_share_a_search(
    build: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a[i + k] = a[i + k + 1] for 1 to 64 statements: distances -64 to 64, whatever the statements
    searches: list[int] = []

    class Counted(AccessPairTest):
        def search(self, chosen: tuple[Any, ...] = ()) -> None:
            searches.append(len(chosen))
            super().search(chosen)

    monkeypatch.setattr(dependences, "AccessPairTest", Counted)
    a, b = (build.array(name, "f64", None) for name in "ab")
    body = [array[f"i + {k % 4}"].set(array["i"]) for k in range(64) for array in (a, b)]
    found = of(build.function("many", [a, b], build.loop("i", 0, "n", *body)))
    # 64 stores and as many loads per array, less pairs of two loads, less one that stays itself
    assert len(found.found) == 2 * (64 * 65 // 2 + 64 * 64 - 64)
    # distances of two stores -3 to 3, of a store and the load 0 to 3 both ways; at most two
    # calls a search, one of them for the innermost loop
    assert len(searches) <= 2 * 2 * (7 + 7)


def test_flat_rows_are_rows_where_the_columns_fit(build: ModuleType) -> None:
    a = build.array("a", "f64", None)

    def nest(columns: str) -> Function:
        inner = build.loop("j", 0, columns, a["i*n + j"].set(a["(i - 1)*n + j"]))
        return build.function("flat", [a], build.loop("i", 1, "p", inner))

    assert listed(nest("n")) == [("flow", 1, 0, (1, 0))]
    assert not of(nest("n")).assumes
    # columns counted by another size: taken for granted, and said
    assert listed(nest("m")) == [("flow", 1, 0, (1, 0))]
    assert of(nest("m")).assumes == ("rows of a do not overlap",)
    wide = of(nest("2*n")).found
    assert wide
    assert {str(d.reason) for d in wide} == {"rows of a may overlap"}


def test_a_size_squared_divides_no_size(build: ModuleType) -> None:
    a = build.array("a", "f64", None)
    inner = build.loop("j", 0, "n", a["i*n*n + j"].set(a["i*n*n + n"]))
    function = build.function("flat", [a], build.loop("i", 0, "p", inner))
    # nothing is proven of i*n*n + j against i*n*n + n, so the answer is that they may meet
    assert {d.array for d in of(function).found} == {"a"}


def test_triangles_keep_their_order(build: ModuleType) -> None:
    # a[i][k] with k < i is finished before row j > k reads a[k][...]: never the other way
    a = build.array("a", "f64", "n", "n")
    inner = build.loop("j", "k + 1", "n", a["k", "j"].set(a["j", "k"]))
    function = build.function("triangle", [a], build.loop("k", 0, "n", inner))
    assert listed(function) == []  # (k, j) with j > k meets (j, k) with j > k nowhere


def test_what_is_indirect_may_depend_with_the_reason(build: ModuleType) -> None:
    a = build.array("a", "f64", None)
    store = a.at(build.unknown("col[i]", "i") * 8).set(a["i"])
    [own, other] = of(build.function("scatter", [a], build.loop("i", 0, "n", store))).found
    assert own.vector == other.vector == ("*",)
    assert str(own.reason) == "indirect through col"


def test_members_of_records_and_parts_of_elements(build: ModuleType) -> None:
    p = build.array("p", "f64", None)
    apart = p.at("32*i + 8").set(p.at("32*i"))
    assert listed(build.function("members", [p], build.loop("i", 0, "n", apart))) == []
    across = p.at("8*i").set(p.at("8*i + 4"))  # the last 4 bytes and the first 4 of the next
    vectors = {
        v for *_, v in listed(build.function("across", [p], build.loop("i", 0, "n", across)))
    }
    assert ("<",) in vectors


def test_pointers_are_taken_to_point_apart(build: ModuleType) -> None:
    a, b, c = build.array("a", "f64", "n"), build.array("b", "f64", "n"), build.array("c", "i32", 9)
    local = build.array("t", "f64", "n", storage="local")
    body = (a["i"].set(b["i"]), local["i"].set(b["i"]))
    function = build.function("f", [a, b, c, local], build.loop("i", 0, "n", *body))
    assert tuple(map(str, of(function).assumes)) == ("a and b do not overlap",)


index = st.sampled_from([0, 0, 1, 1, 2, -1])
subscript = st.tuples(index, index, st.integers(-2, 3))
bound = st.sampled_from([("0", "6"), ("1", "5"), ("i", "6"), ("0", "i + 1"), ("5 - i", "7")])


def _text(coefficients: tuple[int, int, int]) -> str:
    i, j, shift = coefficients
    return f"{i}*i + {j}*j + {shift}"


def _iterations(nodes: tuple[Node, ...], places: tuple[AccessSite, ...]) -> Iterator[Any]:
    """Every touch of a two-deep nest: (time, place number, indices)."""
    [outer] = nodes
    assert isinstance(outer, Loop)
    inner = outer.body[0]
    assert isinstance(inner, Loop)
    values: dict[str, int] = {}

    def run(loop: Loop) -> range:
        return range(*[b.evaluate(values) for b in (loop.lower, loop.upper, loop.step)])

    time = 0
    for values["i"] in run(outer):
        for values["j"] in run(inner):
            for number in range(len(places)):
                yield time, number, dict(values)
                time += 1


def _covers(vector: Vector, difference: Mapping[int, Fraction]) -> bool:
    for k, component in enumerate(vector):
        d = difference[k]
        fits = {"<": d > 0, ">": d < 0, "*": True}.get(str(component), d == component)
        if not fits:
            return False
    return True


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(subscript, subscript), min_size=2, max_size=3),
    bound,
    st.sampled_from([1, 1, 2, -1]),
    st.booleans(),
)
def test_no_dependence_is_missed(
    build: ModuleType, pairs: list[Any], inner: tuple[str, str], step: int, flat: bool
) -> None:
    shape = (None,) if flat else (None, 20)
    a = build.array("a", "f64", *shape)
    names = [(_text(x), _text(y)) for x, y in pairs]
    refs = [a[f"({x})*20 + {y}"] if flat else a[x, y] for x, y in names]
    body = refs[0].set(refs[1] + refs[-1])
    low, high = inner if step > 0 else (f"{inner[1]} - 1", f"{inner[0]} - 1")
    nest = build.loop("i", 0, 6, build.loop("j", low, high, body, step=step))
    function = build.function("random", [a], nest)
    found = of(function)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(dependences._PairFinder, "_case", lambda _, *pair: pair)
        assert of(function) == found  # as a search of its own for each pair answers
    reported: dict[tuple[int, int], list[Vector]] = {(d.source, d.sink): [] for d in found.found}
    for d in found.found:
        reported[d.source, d.sink].append(d.vector)
    touches = list(_iterations((nest,), found.places))
    by_place: dict[Any, list[Any]] = {}
    for _, number, at in touches:
        access = found.places[number].access
        # in C the subscripts of an array stay in their rows; a flat one may go where it likes
        key = (
            access.offset.evaluate(at) if flat else tuple(s.evaluate(at) for s in access.subscripts)
        )
        by_place.setdefault(key, []).append((number, at))
    for group in by_place.values():
        for k, (first, x) in enumerate(group):
            for second, y in group[k + 1 :]:
                writes = [found.places[n].access.write for n in (first, second)]
                if not any(writes):
                    continue
                pace = step if "i" not in low else step // abs(step)
                apart = {0: y["i"] - x["i"], 1: Fraction(y["j"] - x["j"], pace)}
                vectors = reported.get((first, second), [])
                assert any(_covers(v, apart) for v in vectors), (first, second, x, y, vectors)
