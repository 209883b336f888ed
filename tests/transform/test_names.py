"""Indices keep their meaning when loops move into others, and so do values read from memory."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from rooflint.ir import Function, Loop, Unknown, walk
from rooflint.transform import Refused, Transformed, fuse, unroll

Same = Callable[..., Any]


def test_a_loop_inside_does_not_catch_the_index_it_is_fused_under(
    build: ModuleType, same: Same
) -> None:
    # for j: a[j] = 1 ; for k: for j: c[j][k] = a[k]   fused over j: c[j'2][j] = a[j]
    a, c = build.array("a", "f64", "n"), build.array("c", "f64", "n", "n")
    first = build.loop("j", 0, "n", a["j"].set(build.number(1.0)))
    second = build.loop("k", 0, "n", build.loop("j", 0, "n", c["j", "k"].set(a["k"] + 1.0)))
    function = build.function("f", [a, c], first, second)
    result = fuse(function, "j")
    assert isinstance(result, Transformed)
    [fused] = result.function.body
    inner = [node for node in walk((fused,)) if isinstance(node, Loop)][1]
    assert inner.index != "j"
    same(function, result)


def test_a_fused_loop_that_needs_all_of_the_first_is_refused(build: ModuleType) -> None:
    # with the index caught, c[k][j] = a[j] would have looked as if it read a[j] of this iteration
    a, c = build.array("a", "f64", "n"), build.array("c", "f64", "n", "n")
    first = build.loop("j", 0, "n", a["j"].set(build.number(1.0)))
    second = build.loop("k", 0, "n", build.loop("j", 0, "n", c["k", "j"].set(a["j"] + 1.0)))
    function = build.function("f", [a, c], first, second)
    assert isinstance(fuse(function, "j"), Refused)


def test_copies_of_an_iteration_read_elements_of_their_own(build: ModuleType) -> None:
    # a[col[j]] of two iterations are two elements: one text for both would make them one
    a = build.array("a", "f64", "n")
    col = build.array("col", "i32", "n")
    place = build.unknown("col[j]", "j")
    loop = build.loop("j", 0, "n", a[place].set(col["j"] + 0))
    result = unroll(build.function("f", [a, col], loop), "j", 2)
    assert isinstance(result, Transformed)
    main = result.function.body[0]
    assert isinstance(main, Loop)
    offsets = [s.accesses[-1].offset for s in main.body if hasattr(s, "accesses")]
    texts = [[u.text for u in offset.unknowns()] for offset in offsets]
    assert texts == [["col[j]"], ["col[j+1]"]]


def test_what_an_index_is_called_in_an_unknown_value_is_a_whole_word(build: ModuleType) -> None:
    a = build.array("a", "f64", "n")
    place = build.unknown("colj[2*j]-j", "j")
    loop = build.loop("j", 0, "n", a[place].set(build.number(1.0)))
    result = unroll(build.function("f", [a], loop), "j", 2)
    assert isinstance(result, Transformed)
    assert Unknown("colj[2*(j+1)]-(j+1)", "indirect through colj", ("j",)) in _unknowns(
        result.function
    )


def _unknowns(function: Function) -> list[Unknown]:
    statements = [node for node in walk(function.body) if hasattr(node, "accesses")]
    return [u for s in statements for a in s.accesses for u in a.offset.unknowns()]
