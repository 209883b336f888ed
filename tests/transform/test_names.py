"""Indices keep their meaning when loops move into others, and so do values read from memory."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from rooflint.ir import Function, Loop, Poly, Reason, Unknown, walk
from rooflint.plugin_api import transforms as transform
from rooflint.plugin_api.transforms import ChangedFunction, ChangeRefusal, fuse, unroll

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
    assert isinstance(result, ChangedFunction)
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
    assert isinstance(fuse(function, "j"), ChangeRefusal)


def test_copies_of_an_iteration_read_elements_of_their_own(build: ModuleType) -> None:
    # a[col[j]] of two iterations are two elements: one text for both would make them one
    a = build.array("a", "f64", "n")
    col = build.array("col", "i32", "n")
    place = build.unknown("col[j]", "j")
    loop = build.loop("j", 0, "n", a[place].set(col["j"] + 0))
    result = unroll(build.function("f", [a, col], loop), "j", 2)
    assert isinstance(result, ChangedFunction)
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
    assert isinstance(result, ChangedFunction)
    copy = build.source_text("colj[2*(j+1)]-(j+1)")
    assert Unknown(copy, Reason("indirect", ("colj",)), ("j",)) in _unknowns(result.function)


def test_a_value_that_moves_with_an_index_it_does_not_name_is_not_copied(build: ModuleType) -> None:
    # k = 2*j; a[col[k]]: two iterations read two elements, which would both be called col[k]
    form, reason = build.source_text("col[k]"), Reason("indirect", ("col",))
    place = Poly.symbol(Unknown(form, reason, ("j",)))
    a = build.array("a", "f64", "n")
    loop = build.loop("j", 0, "n", a[place].set(build.number(1.0)))
    result = unroll(build.function("f", [a], loop), "j", 2)
    assert isinstance(result, ChangeRefusal)
    assert "col[k]" in result.reason


def _unknowns(function: Function) -> list[Unknown]:
    statements = [node for node in walk(function.body) if hasattr(node, "accesses")]
    return [u for s in statements for a in s.accesses for u in a.offset.unknowns()]


def _ragged(build: ModuleType, *behind: Any) -> Function:  # noqa: ANN401
    # for k < n: for j < len[k]: y[j] += a[j][k]: the front end names the bound by its text
    y, a = build.array("y", "f64", "n"), build.array("a", "f64", "n", "n")
    size = build.data_size("len[k]")
    inner = build.loop("j", 0, size, y["j"].add(a["j", "k"]))
    nest = build.loop("k", 0, "n", inner, *behind)
    return build.function("f", [y, a], nest)


RAGGED: dict[str, Callable[[Function], Any]] = {
    "interchange": lambda f: transform.interchange(f, "k", ("j", "k")),
    "blocks of the inner loop": lambda f: transform.tile(f, "k", {"j": 4}),
    "jam": lambda f: transform.unroll_and_jam(f, "k", 2),
    "copies": lambda f: transform.unroll(f, "k", 2),
    "first iteration": lambda f: transform.peel(f, "k", "first"),
}


@pytest.mark.parametrize("change", RAGGED)
def test_rows_of_different_lengths_stay_where_they_are(build: ModuleType, change: str) -> None:
    assert isinstance(RAGGED[change](_ragged(build)), ChangeRefusal)


def test_a_length_of_this_row_is_not_moved_out_of_the_rows(build: ModuleType) -> None:
    z = build.array("z", "f64", "n")
    length = build.op("convert", indexed(build, "len[k]"), kind="f64")
    root = build.op("sqrt", length)
    function = _ragged(build, z["k"].set(root))
    assert isinstance(transform.hoist(function, "k"), ChangeRefusal)
    test = build.op("compare", indexed(build, "len[k]"), build.number(4, "i32"))
    test.name = ">"
    switch = build.branch(test, [z["k"].set(build.number(1.0))])
    assert isinstance(transform.unswitch(_ragged(build, switch), "k"), ChangeRefusal)


def indexed(build: ModuleType, text: str) -> Any:  # noqa: ANN401
    return build.index(build.data_size(text))
