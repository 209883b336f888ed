"""Changes keep their results wherever arrays lie, if what they state they assume holds."""

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from rooflint.dependence import NoOverlap
from rooflint.ir import Aliasing, Array, Function, Loop
from rooflint.plugin_api import transforms as transform
from rooflint.plugin_api.transforms import ChangedFunction, ChangeRefusal, Result

SIZE = 16
"""Elements of a dimension: subscripts stay below it."""
KINDS = {"a": "f64", "b": "f64", "f": "f32", "k": "i32", "u": "u32", "c": "i8"}
SIZES = ({"n": 5, "m": 4}, {"n": 3, "m": 6})
WHERE = {name: 1 << (20 + number) for number, name in enumerate((*KINDS, "s"))}

subscript = st.tuples(st.sampled_from([0, 1, 1]), st.sampled_from([1, 1, 0]), st.integers(0, 1))
reference = st.tuples(st.sampled_from(list(KINDS)), subscript)
statement = st.tuples(
    reference, reference, reference, st.sampled_from(["set", "add", "sum", "tmp"])
)
placing = st.dictionaries(
    st.sampled_from([*KINDS, "s"]),
    st.tuples(st.sampled_from("abfkc"), st.integers(-3, 3)),
    max_size=4,
)


def arrays_of(build: ModuleType, promised: set[str], own: str) -> dict[str, Any]:
    arrays = {
        name: build.array(name, kind, SIZE * 2, storage="local" if name == own else "parameter")
        for name, kind in KINDS.items()
    }
    for restrict in promised:
        arrays[restrict].array = arrays[restrict].array._replace(restrict=True)
    return arrays


def body_of(build: ModuleType, arrays: Mapping[str, Any], statements: list[Any]) -> list[Any]:
    def element(spec: tuple[str, tuple[int, int, int]]) -> Any:  # noqa: ANN401
        name, (i, j, shift) = spec
        return arrays[name][f"{i}*i + {j}*j + {shift + 4}"]

    def real(spec: tuple[str, tuple[int, int, int]]) -> Any:  # noqa: ANN401
        found = element(spec)
        return found if found.kind == "f64" else build.op("convert", found, kind="f64")

    body: list[Any] = []
    for target, left, right, kind in statements:
        value = real(left) * 3 + real(right)
        stored = element(target)
        if kind == "sum":
            body.append(build.assign("s", build.carried("s") + value))
        elif kind == "tmp":
            body.append(build.assign("t", value))
            body.append(stored.set(build.op("convert", build.scalar("t") - 1, kind=stored.kind)))
        else:
            value = value + real(target) if kind == "add" else value
            body.append(stored.set(build.op("convert", value, kind=stored.kind)))
    return body


def function_of(build: ModuleType, arrays: Mapping[str, Any], *nodes: Loop) -> Function:
    made: Function = build.function("f", list(arrays.values()), *nodes)
    held = arrays["a"].array.provenance._replace(exposed=True)
    cell = Array("s", "f64", 8, (), "global", provenance=held._replace(reach="static"))
    return Function(
        made.name, made.parameters, made.arrays, made.body, cells=(cell,), aliasing=Aliasing()
    )


def layout_of(
    placed: Mapping[str, tuple[str, int]], function: Function, result: ChangedFunction
) -> dict[str, int]:
    """Where arrays lie: on one another as drawn, but apart where that is declared or assumed."""
    apart = {
        frozenset((each.first, each.second))
        for each in result.assumes
        if isinstance(each, NoOverlap)
    }
    declared = {
        array.name
        for array in function.arrays
        if array.restrict or array.provenance.reach == "local"
    }
    layout = dict(WHERE)
    group = {name: {name} for name in layout}
    for name, (other, shift) in placed.items():
        if name == other or len(group[name]) > 1:
            continue
        together = group[other] | {name}
        if any(pair <= together for pair in apart) or declared & together:
            continue
        layout[name] = layout[other] + 8 * shift
        for each in together:
            group[each] = together
    return layout


def compared(
    interpreter: ModuleType, function: Function, result: Result, placed: Mapping[str, Any]
) -> None:
    if isinstance(result, ChangeRefusal):
        event("refused")
        return
    layout = layout_of(placed, function, result)
    event("overlapping" if layout != WHERE else "apart")
    event("proven" if not result.assumes else "with assumptions")
    for sizes in SIZES:
        expected = interpreter.run_in_memory(function, sizes, layout)
        found = interpreter.run_in_memory(result.function, sizes, layout)
        assert found == expected, (sizes, layout, result.steps)


CHANGES: dict[str, Callable[[Function], Result]] = {
    "interchange": lambda f: transform.interchange(f, "i", ("j", "i")),
    "strip": lambda f: transform.strip_mine(f, "i.j", 3),
    "tile": lambda f: transform.tile(f, "i", {"i": 2, "j": 3}),
    "unroll": lambda f: transform.unroll(f, "i.j", 3),
    "jam": lambda f: transform.unroll_and_jam(f, "i", 2),
    "peel": lambda f: transform.peel(f, "i.j", "first"),
    "fission": lambda f: transform.fission(f, "i.j", 1),
    "hoist": lambda f: transform.hoist(f, "i.j"),
    "reciprocal": lambda f: transform.reciprocal(f, "i.j"),
    "register": lambda f: transform.in_register(f, "i.j", "a"),
    "load first": lambda f: transform.load_first(f, "i.j", "b"),
    "load apart": lambda f: transform.load_apart(f, "i.j", "b"),
    "swap inner": lambda f: transform.swap_inner(f, "i", 0),
    "expand": lambda f: transform.expand_scalar(f, "i.j", "t"),
}


@pytest.mark.parametrize("change", CHANGES)
@settings(max_examples=60)
@given(
    statements=st.lists(statement, min_size=1, max_size=3),
    placed=placing,
    promised=st.sets(st.sampled_from(list(KINDS))),
    own=st.sampled_from(["", "", "b", "f"]),
)
def test_a_nest(
    build: ModuleType,
    interpreter: ModuleType,
    change: str,
    statements: list[Any],
    placed: dict[str, Any],
    promised: set[str],
    own: str,
) -> None:
    arrays = arrays_of(build, promised, own)
    inner = build.loop("j", 0, "m", *body_of(build, arrays, statements))
    function = function_of(build, arrays, build.loop("i", 0, "n", inner))
    compared(interpreter, function, CHANGES[change](function), placed)


@settings(max_examples=200)
@given(
    first=st.lists(statement, min_size=1, max_size=2),
    second=st.lists(statement, min_size=1, max_size=2),
    placed=placing,
    promised=st.sets(st.sampled_from(list(KINDS))),
)
def test_two_loops_fused(
    build: ModuleType,
    interpreter: ModuleType,
    first: list[Any],
    second: list[Any],
    placed: dict[str, Any],
    promised: set[str],
) -> None:
    arrays = arrays_of(build, promised, "")
    loops = [build.loop("j", 0, "m", *body_of(build, arrays, each)) for each in (first, second)]
    function = function_of(build, arrays, build.loop("i", 0, "n", *loops))
    compared(interpreter, function, transform.fuse(function, "i.j"), placed)


def test_a_fusion_over_signed_and_unsigned_integers_is_told_apart(
    build: ModuleType, interpreter: ModuleType
) -> None:
    """Without what it assumes, the change does alter results: layouts that overlap show it."""
    arrays = arrays_of(build, set(), "")
    one = arrays["k"]["j"].set(build.op("convert", arrays["a"]["j"], kind="i32"))
    two = arrays["b"]["j"].set(build.op("convert", arrays["u"]["j + 1"], kind="f64"))
    loops = [build.loop("j", 0, "m", each) for each in (one, two)]
    function = function_of(build, arrays, build.loop("i", 0, "n", *loops))
    result = transform.fuse(function, "i.j")
    assert isinstance(result, ChangedFunction)
    assert NoOverlap("k", "u") in result.assumes
    layout = {**WHERE, "u": WHERE["k"]}
    runs = [
        interpreter.run_in_memory(each, {"n": 1, "m": 4}, layout)
        for each in (function, result.function)
    ]
    assert runs[0] != runs[1]
