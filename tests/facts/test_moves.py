"""Which loops exchange elements, and which only move or fill."""

from types import ModuleType

import pytest
from rooflint.facts import exchanged_elements, kernels


def exchanged(build: ModuleType, *arrays: object, loops: tuple[str, ...], body: object) -> int:
    nest = body
    for index in reversed(loops):
        nest = build.loop(index, 0, "n", *(nest if isinstance(nest, tuple) else (nest,)))
    (kernel,) = kernels(build.function("f", arrays, nest))
    return exchanged_elements(kernel.loops, kernel.statements)


@pytest.mark.parametrize(
    ("source", "elements"),
    [
        (("j", "i"), 1),  # a transposition
        (("i", "j"), 0),  # a copy
        (("i", "n - j"), 0),  # rows reversed
        (("i", 0), 0),  # the first column spread
        ((0, "j"), 0),  # the first row repeated
        (("j", "j"), 0),  # the diagonal spread
        (("j", "2*i"), 1),  # every other column
    ],
)
def test_two_loops(build: ModuleType, source: tuple[object, ...], elements: int) -> None:
    a, b = build.array("a", "f64", "n", "n"), build.array("b", "f64", "n", "n")
    body = a["i", "j"].set(b[source])
    assert exchanged(build, a, b, loops=("i", "j"), body=body) == elements


def test_a_matrix_filled_along_its_diagonals(build: ModuleType) -> None:
    # a[i][j] = c[n - 1 - i + j]: steps of -4 and 4, each element of c is stored many times
    a, c = build.array("a", "f32", "n", "n"), build.array("c", "f32", "2*n - 1")
    body = a["i", "j"].set(c["n - 1 - i + j"])
    assert exchanged(build, a, c, loops=("i", "j"), body=body) == 0


def test_planes_exchanged_with_rows_inside_are_copies_of_rows(build: ModuleType) -> None:
    a, b = (build.array(name, "f64", "n", "n", "n") for name in "ab")
    rows = a["i", "j", "k"].set(b["j", "i", "k"])
    assert exchanged(build, a, b, loops=("i", "j", "k"), body=rows) == 0
    elements = a["i", "j", "k"].set(b["k", "j", "i"])
    assert exchanged(build, a, b, loops=("i", "j", "k"), body=elements) == 1


def test_a_transposition_in_place(build: ModuleType) -> None:
    a = build.array("a", "f64", "n", "n")
    body = (
        build.assign("t", a["i", "j"]),
        a["i", "j"].set(a["j", "i"]),
        a["j", "i"].set(build.scalar("t")),
    )
    assert exchanged(build, a, loops=("i", "j"), body=body) == 2


def test_a_swap_with_one_place_stands_still(build: ModuleType) -> None:
    a = build.array("a", "f64", "n")
    body = (
        build.assign("t", a["i"]),
        a["i"].set(a[0]),
        a[0].set(build.scalar("t")),
    )
    assert exchanged(build, a, loops=("i",), body=body) == 0


def test_an_element_stored_to_its_own_place_is_not_exchanged(build: ModuleType) -> None:
    a = build.array("a", "f64", "n")
    assert exchanged(build, a, loops=("i",), body=a["i"].set(a["i"])) == 0


def test_work_beside_the_moves(build: ModuleType) -> None:
    a, b = build.array("a", "f64", "n", "n"), build.array("b", "f64", "n", "n")
    body = a["i", "j"].set(b["j", "i"] * 2.0)
    assert exchanged(build, a, b, loops=("i", "j"), body=body) == 0


def test_what_is_looked_up_is_no_exchange(build: ModuleType) -> None:
    # a[i] = b[p[i]]: p is loaded and goes nowhere
    a, b, p = (
        build.array("a", "f64", "n"),
        build.array("b", "f64", "n"),
        build.array("p", "i32", "n"),
    )
    body = (
        p["i"].set(p["i"]),
        a["i"].set(b.at(build.unknown("p[i]", "i"))),
    )
    assert exchanged(build, a, b, p, loops=("i",), body=body) == 0
