"""Loops that clang 19 ``-O3`` leaves scalar, and their neighbours that it vectorises.

Verdicts and widths are those of its remarks on these loops, for Haswell where no machine is named.
"""

import pytest
from rooflint.compile_flags.flags import CodeGeneration, Flags
from rooflint.core.graph.dependences import MOST_WIDTH, forwarding_width
from rooflint.core.plan import plan_of
from rooflint.facts import facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.machine import builtin_dir, find_machine
from rooflint.pipeline.setup.compilers import compiler_of

ARRAYS = "float a[40000], b[40000], c[40000], d[40000]; double p[40000], q[40000], r[40000];"


def width(body: str, driver: str = "clang-19", machine: str = "hsw", head: str = "void") -> int:
    """Iterations at once of ``body`` in a loop over ``i``."""
    loop = f"for (int i = 0; i < 30000; i++) {{ {body} }}"
    text = f"{ARRAYS}\nvoid f({head}) {{ {loop} }}"
    (source,) = extract(Request("/nowhere/a.c", Flags("c"), text.encode())).functions
    (facts,) = facts_of(source.function)
    target = find_machine(machine, (builtin_dir(),))
    compiler = compiler_of(CodeGeneration(opt_level="3", march="native"), driver)
    return plan_of(source.function, facts, target, compiler).code.vector.width


@pytest.mark.parametrize(
    ("iterations", "size", "most"),
    [
        (1, 4, 1),
        (2, 4, 2),
        (3, 4, 1),
        (6, 4, 2),
        (8, 4, 8),
        (63, 4, 1),
        (65, 4, 2),  # 32 vectors of two lie between, then none waits; 16 of four
        (100, 4, 4),
        (127, 8, 1),
        (129, 8, 2),
        (64, 4, MOST_WIDTH),
    ],
)
def test_stores_that_are_read_soon_limit_vectors(iterations: int, size: int, most: int) -> None:
    assert forwarding_width(iterations, size) == most


@pytest.mark.parametrize(
    ("distance", "stored_first", "loaded_first"),
    [(1, 8, 1), (2, 8, 2), (3, 1, 1), (4, 8, 4), (6, 8, 2), (8, 8, 8), (12, 8, 4), (100, 8, 4)],
)
def test_the_order_of_store_and_load_counts(
    distance: int, stored_first: int, loaded_first: int
) -> None:
    store, load = f"c[i + {distance}] = d[i];", "a[i] = c[i] * 2;"
    assert width(store + load) == stored_first
    assert width(load + store) == loaded_first


@pytest.mark.parametrize("distance", [3, 6])
def test_gcc_takes_any_vectors_that_the_order_allows(distance: int) -> None:
    store, load = f"c[i + {distance}] = d[i];", "a[i] = c[i] * 2;"
    assert width(store + load, "gcc-12") == 8
    assert width(load + store, "gcc-12") == 1 << (distance.bit_length() - 1)


@pytest.mark.parametrize(
    ("body", "by_clang", "by_gcc"),
    [
        # each arm makes what another iteration of the other arm needs
        ("if (b[i] < 0) c[i + 1] = a[i]; else a[i] = c[i];", 1, 8),
        ("if (b[i] < 0) a[i] = c[i]; else c[i + 1] = d[i];", 1, 1),
        ("if (b[i] < 0) c[i + 8] = a[i]; else a[i] = c[i];", 8, 8),
        # the value of the iteration before is in a register only if each iteration stores it
        ("if (b[i] < 0) c[i + 1] = d[i]; a[i] = c[i];", 1, 8),
        ("c[i + 1] = d[i]; if (b[i] < 0) a[i] = c[i];", 1, 8),
        ("c[i + 1] = d[i]; a[i] = c[i] * 2;", 8, 8),
    ],
)
def test_arms_depend_on_each_other(body: str, by_clang: int, by_gcc: int) -> None:
    assert (width(body), width(body, "gcc-12")) == (by_clang, by_gcc)


@pytest.mark.parametrize(
    ("body", "haswell", "skylake"),
    [
        ("x[16 * i] = 0;", 1, 8),  # AVX-512 scatters
        ("x[16 * i] = v;", 1, 8),
        ("x[2 * i] = 0;", 1, 4),  # a group with a gap is not stored
        ("x[2 * i] = 0; x[2 * i + 1] = v;", 8, 8),
        ("x[16 * i] = y[16 * i];", 1, 4),
        ("x[16 * i] = y[i];", 8, 8),
    ],
)
def test_a_loop_without_a_vector_is_none(body: str, haswell: int, skylake: int) -> None:
    head = "float *restrict x, float *restrict y, float v"
    assert width(body, head=head) == haswell
    assert (width(body, machine="skx", head=head) > 1) == (skylake > 1)


def rows(count: int, name: str, other: str) -> str:
    return " ".join(
        [f"{name}[{count} * i + {k}] += s * {other}[{count} * i + {k}];" for k in range(count)]
    )


@pytest.mark.parametrize(
    ("count", "vectors"), [(2, True), (3, True), (4, True), (5, False), (6, True), (7, False)]
)
def test_groups_of_five_and_seven_have_no_shuffles(count: int, vectors: bool) -> None:
    head = "float *restrict x, float *restrict y, float s"
    assert (width(rows(count, "x", "y"), head=head) > 1) is vectors


def test_loads_of_five_are_made_one_by_one() -> None:
    head = "double *restrict x, double *restrict y"
    total = " + ".join([f"y[5 * i + {k}]" for k in range(5)])
    assert width(f"x[i] = {total};", head=head) == 4
    assert width("x[i] = y[5 * i];", head=head) == 4


@pytest.mark.parametrize(
    ("body", "vectorised"),
    [
        ("s[i * m] = 0.5 * t[i * m];", True),
        ("s[i * m] = 0.5 * s[i * m];", False),
        ("s[i * 100] = 0.5 * s[i * 100];", True),
    ],
)
def test_places_in_steps_that_are_no_constant(body: str, vectorised: bool) -> None:
    """As clang 19 says of the three with ``-march=znver4``."""
    head = "int m, double *restrict s, const double *restrict t"
    assert (width(body, machine="zen4-9654", head=head) > 1) == vectorised
