"""Address traces: every access of a function in program order, and what has to be assumed."""

from collections.abc import Mapping
from types import ModuleType

import pytest
from rooflint.ir import Exit, Function, Loop, Node, Poly, UnknownValueError

BASE = 1 << 20


def trace(
    sim: ModuleType, function: Function, values: Mapping[str, int] = {}, **policy: object
) -> list[tuple[str, int, bool]]:
    """(array, byte offset, write) of each access."""
    layout = {array.name: BASE * (n + 1) for n, array in enumerate(function.arrays)}
    names = {address // BASE: name for name, address in layout.items()}
    found = sim.touches(function, layout, values, sim.Policy(**policy))
    return [(names[t.address // BASE], t.address % BASE, t.write) for t in found]


def in_loop(build: ModuleType, *body: Node, trips: int | str = 3) -> Function:
    arrays = [build.array(name, "f64", 100) for name in "ab"]
    return build.function("f", arrays, build.loop("i", 0, trips, *body))


def test_program_order(simulator: ModuleType, build: ModuleType) -> None:
    a, b = build.array("a", "f64", 100), build.array("b", "f32", 100)
    body = a["i"].set(a["i"] + b["i + 1"])
    function = build.function("f", [a, b], build.loop("i", 1, "n", body), b[0].set(b[1]))
    assert trace(simulator, function, {"n": 3}) == [
        ("a", 8, False), ("b", 8, False), ("a", 8, True),
        ("a", 16, False), ("b", 12, False), ("a", 16, True),
        ("b", 4, False), ("b", 0, True),
    ]  # fmt: skip


def test_the_updated_element_may_be_loaded_last(simulator: ModuleType, build: ModuleType) -> None:
    a, b = build.array("a", "f64", 100), build.array("b", "f64", 100)
    function = build.function("f", [a, b], a[1].set(a[1] + b[1] * a[2]), b[3].set(a[3]))
    assert trace(simulator, function, updated_last=True) == [
        ("b", 8, False), ("a", 16, False), ("a", 8, False), ("a", 8, True),
        ("a", 24, False), ("b", 24, True),
    ]  # fmt: skip


def test_sizes_of_accesses(simulator: ModuleType, build: ModuleType) -> None:
    b = build.array("b", "f32", 10)
    found = simulator.touches(build.function("f", [b], b[1].set(b[2])), {"b": 0}, {})
    assert [(t.address, t.bytes) for t in found] == [(8, 4), (4, 4)]


@pytest.mark.parametrize(
    ("lower", "upper", "step", "indices"),
    [
        (0, 5, 2, [0, 2, 4]),
        (5, 0, -2, [5, 3, 1]),
        (3, 3, 1, []),
        ("n", "2*n", "n // 2", [4, 6]),
        (0, "min(n, 9) - n % 3", 1, [0, 1, 2]),
        ("max(1, n - 2)", "n", 1, [2, 3]),
    ],
)
def test_loops_of_any_step(
    simulator: ModuleType,
    build: ModuleType,
    lower: int | str,
    upper: int | str,
    step: int | str,
    indices: list[int],
) -> None:
    a = build.array("a", "f64", 100)
    nest = build.loop("i", lower, upper, a["i"].set(build.number(0)), step=step)
    found = trace(simulator, build.function("f", [a], nest), {"n": 4})
    assert [offset // 8 for _, offset, _ in found] == indices


def test_triangles_and_code_between_loops(simulator: ModuleType, build: ModuleType) -> None:
    a, b = build.array("a", "f64", 10, 10), build.array("b", "f64", 10)
    inner = build.loop("j", 0, "i", a["i", "j"].set(build.number(0)))
    nest = build.loop("i", 0, 3, b["i"].set(build.number(0)), inner, b["i"].set(b[9]))
    found = trace(simulator, build.function("f", [a, b], nest))
    assert [(name, offset // 8) for name, offset, _ in found] == [
        ("b", 0), ("b", 9), ("b", 0),
        ("b", 1), ("a", 10), ("b", 9), ("b", 1),
        ("b", 2), ("a", 20), ("a", 21), ("b", 9), ("b", 2),
    ]  # fmt: skip


def test_offsets_that_are_no_sums(simulator: ModuleType, build: ModuleType) -> None:
    a = build.array("a", "f64", 100)
    body = a["i % 3 + 10*(i // 3)"].set(a["i*i"])
    found = trace(simulator, build.function("f", [a], build.loop("i", 0, 5, body)))
    # i*i is loaded, i % 3 + 10*floor(i / 3) stored
    assert [offset // 8 for _, offset, _ in found] == [0, 0, 1, 1, 4, 2, 9, 10, 16, 11]


def test_a_stride_that_depends_on_an_outer_index(simulator: ModuleType, build: ModuleType) -> None:
    a = build.array("a", "f64", 100)
    inner = build.loop("j", 0, 3, a["i*j"].set(build.number(0)))
    function = build.function("f", [a], build.loop("i", 1, 3, inner))
    assert [offset // 8 for _, offset, _ in trace(simulator, function)] == [0, 1, 2, 0, 2, 4]


def test_short_loops_run_inside_their_parent(simulator: ModuleType, build: ModuleType) -> None:
    a = build.array("a", "f64", 100)
    inner = build.loop("c", 2, -1, a["3*i + c"].set(build.number(0)), step=-1)
    function = build.function("f", [a], build.loop("i", 0, 2, build.region("simd", inner)))
    assert [offset // 8 for _, offset, _ in trace(simulator, function)] == [2, 1, 0, 5, 4, 3]
    layout = simulator.lay_out(function, {})
    [walk] = simulator.walks(function, layout, {})
    assert walk.trips == 2
    assert [reference.stride_bytes for reference in walk.references] == [24, 24, 24]


def test_unknown_values_are_asked_for(simulator: ModuleType, build: ModuleType) -> None:
    col, x = build.array("col", "i32", 10), build.array("x", "f64", 100)
    gather = build.assign("s", x.at(build.unknown("col[j]", "j") * 8))
    row = build.loop(
        "j",
        build.unknown("row[i]", "i"),
        build.unknown("row[i+1]", "i"),
        build.condition(col["j"]),
        gather,
    )
    function = build.function("f", [col, x], build.loop("i", 0, 2, row))

    def data(text: str, state: Mapping[str, int]) -> int:
        if text == "col[j]":
            return 10 + state["j"]
        return [0, 2, 3][state["i"] + (text == "row[i+1]")]

    assert trace(simulator, function, {}, unknown=data) == [
        ("col", 0, False), ("x", 80, False), ("col", 4, False), ("x", 88, False),
        ("col", 8, False), ("x", 96, False),
    ]  # fmt: skip
    with pytest.raises(UnknownValueError, match="row"):
        trace(simulator, function)


def compare(build: ModuleType, left: str, operator: str, right: str) -> object:
    sides = [build.index(text) for text in (left, right)]
    return build.Expression("compare", "i32", *sides, name=operator)


def test_closed_conditions_are_decided(simulator: ModuleType, build: ModuleType) -> None:
    a, b = build.array("a", "f64", 100), build.array("b", "f64", 100)
    test = compare(build, "i + 1", "<", "n - 1")
    choice = build.branch(
        test, [a["i"].set(build.number(0))], [b["i"].set(build.number(0)), b["i"].add(b["i"])]
    )
    function = in_loop(build, choice)
    assert [name for name, _, _ in trace(simulator, function, {"n": 4})] == [*"aabbbb"]
    # not decided: the heavier side is b's, with a flop
    found = trace(simulator, function, {"n": 4}, conditions=False)
    assert [name for name, _, _ in found] == [*"bbbb"] * 3


@pytest.mark.parametrize(
    ("policy", "each"), [("heavier", "abbbb"), ("both", "aabbbb"), ("then", "aa")]
)
def test_other_conditions_follow_the_policy(
    simulator: ModuleType, build: ModuleType, policy: str, each: str
) -> None:
    a, b = build.array("a", "f64", 100), build.array("b", "f64", 100)
    test = build.Expression("compare", "f64", a["i"], build.number(0), name=">")
    choice = build.branch(
        test, [a["i"].set(build.number(0))], [b["i"].set(build.number(0)), b["i"].add(b["i"])]
    )
    found = trace(simulator, in_loop(build, choice), branches=policy)
    assert "".join(name for name, _, _ in found) == each * 3


@pytest.mark.parametrize(
    ("op", "other", "taken"),
    [
        ("and", ("i", "<", "0"), False),
        ("or", ("i", ">=", "0"), True),
        ("or", ("i", "<", "0"), None),
        ("and", ("i", ">=", "0"), None),
    ],
)
def test_logic_with_what_only_the_data_decide(
    simulator: ModuleType, build: ModuleType, op: str, other: tuple[str, str, str], taken: bool
) -> None:
    a, b = build.array("a", "f64", 100), build.array("b", "f64", 100)
    data = build.Expression("compare", "f64", a["i"], build.number(0), name=">")
    test = build.Expression(op, "bool", data, compare(build, *other))
    choice = build.branch(test, [b[1].set(build.number(0))], [b[2].set(build.number(0))])
    offsets = [offset for name, offset, _ in trace(simulator, in_loop(build, choice, trips=1))
               if name == "b"]  # fmt: skip
    assert offsets == [16 if taken is False else 8]
    both = trace(simulator, in_loop(build, choice, trips=1), branches="both")
    assert len(both) == (3 if taken is None else 2)


@pytest.mark.parametrize(
    ("kind", "stores"), [("continue", [0, 2]), ("break", [0]), ("return", [0])]
)
def test_decided_branches_leave_the_loop(
    simulator: ModuleType, build: ModuleType, kind: str, stores: list[int]
) -> None:
    a = build.array("a", "f64", 100)
    leave = build.branch(compare(build, "i", "==", "1"), [Exit(kind)])
    nest = build.loop("i", 0, 3, leave, a["i"].set(build.number(0)))
    function = build.function("f", [a], nest, a[50].set(build.number(0)))
    after = [] if kind == "return" else [50]
    assert [offset // 8 for _, offset, _ in trace(simulator, function)] == [*stores, *after]
    # whether the data leave the loop is not known: it runs to its end
    data = build.Expression("compare", "f64", build.scalar("x"), build.number(0), name=">")
    loop = Loop("i", Poly.constant(0), Poly.constant(3), Poly.constant(1),
                (build.branch(data, [Exit(kind)]), a["i"].set(build.number(0))))  # fmt: skip
    assert len(trace(simulator, build.function("f", [a], loop))) == 3


def test_promoted_accesses_happen_once_per_execution(
    simulator: ModuleType, build: ModuleType
) -> None:
    a, b = build.array("a", "f64", 100), build.array("b", "f64", 100)
    inner = build.loop("j", 0, "n", b["i"].add(a["j"]))
    function = build.function("f", [a, b], build.loop("i", 0, 2, inner))
    assert [(name, offset // 8, write)
            for name, offset, write in trace(simulator, function, {"n": 2}, promote=True)] == [
        ("b", 0, False), ("a", 0, False), ("a", 1, False), ("b", 0, True),
        ("b", 1, False), ("a", 0, False), ("a", 1, False), ("b", 1, True),
    ]  # fmt: skip
    assert trace(simulator, function, {"n": 0}, promote=True) == []
    assert len(trace(simulator, function, {"n": 2})) == 12


def test_layout(simulator: ModuleType, build: ModuleType) -> None:
    a, b = build.array("a", "f64", "n", 3), build.array("b", "f32", None)
    function = build.function("f", [a, b, build.array("c", "i8", 1)])
    # page 1; 5 * 3 * 8 = 120 B and a gap of 8 end on a line boundary; 100 B for the open one
    found = simulator.lay_out(function, {"n": 5}, gap_bytes=8, open_bytes=100)
    assert found == {"a": 4096, "b": 4096 + 128, "c": 4096 + 128 + 128}
    owner = simulator.owner_of(found)
    assert [owner(line) for line in (64, 65, 66, 67, 68, 90)] == [*"aabbcc"]
