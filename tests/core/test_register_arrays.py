"""Elements of local arrays in registers, and elements that stores make loops read again."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.core import Compiler
from rooflint.core.lazy import LazyPlan
from rooflint.core.plan import plan_of
from rooflint.facts import facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.machine import builtin_dir, find_machine

HEADER = "typedef struct {{ float r, i; }} cpx;\nvoid f({})\n{{ {} }}"
ARRAYS = "double *restrict a, const double *restrict b, long n"


def instructions(arguments: str, body: str, compiler: Compiler) -> dict[str, float]:
    """By name, the instructions of scalar code for an iteration of the last loop."""
    text = HEADER.format(arguments, body).encode()
    (source,) = extract(Request("/nowhere/a", Flags("c"), text)).functions
    facts = facts_of(source.function)[-1]
    machine = find_machine("zen4-9654", (builtin_dir(),))
    scalar = plan_of(source.function, facts, machine, compiler).scalar
    count: dict[str, float] = {}
    for op in scalar.operations:
        name = op.kind.split(".")[0]
        count[name] = count.get(name, 0) + op.times
    return count


@pytest.mark.parametrize("compiler", [Compiler("gcc"), Compiler("clang")], ids=["gcc", "clang"])
@pytest.mark.parametrize(
    ("arguments", "body", "loads", "stores"),
    [
        # a table of parts: b[k] in, a[k] out
        (
            ARRAYS,
            "double t[2]; for (long k = 0; k < n; k++)"
            " { t[0] = b[k]; t[1] = t[0] * b[k]; a[k] = t[1] + t[0]; }",
            1,
            1,
        ),
        # members of its elements are scalars of their own
        (
            "cpx *restrict a, const cpx *restrict b, long n",
            "cpx t[1]; for (long k = 0; k < n; k++)"
            " { t[0].r = b[k].i; t[0].i = b[k].r; a[k].r = t[0].r; a[k].i = t[0].i; }",
            2,
            2,
        ),
        # sums that go on from one iteration to the next
        (
            ARRAYS,
            "double t[2] = {0, 0}; for (long k = 0; k < n; k++)"
            " { t[0] += b[k]; t[1] += t[0] * b[k]; } a[0] = t[0] + t[1];",
            1,
            0,
        ),
        # a loop that is unrolled is straight code
        (
            ARRAYS,
            "for (long k = 0; k < n; k++) { double t[2];"
            " for (int j = 0; j < 2; j++) t[j] = b[2 * k + j]; a[k] = t[0] * t[1]; }",
            2,
            1,
        ),
        # a place that the run tells keeps the table in memory, stores and all
        (
            ARRAYS,
            "double t[2]; for (long k = 0; k < n; k++)"
            " { t[0] = b[k]; t[1] = t[0] * b[k]; a[k] = t[k & 1]; }",
            2,
            3,
        ),
    ],
)
def test_local_tables_are_scalars(
    arguments: str, body: str, loads: int, stores: int, compiler: Compiler
) -> None:
    made = instructions(arguments, body, compiler)
    assert (made.get("load", 0), made.get("store", 0)) == (loads, stores)


@pytest.mark.parametrize("compiler", [Compiler("gcc"), Compiler("clang")], ids=["gcc", "clang"])
@pytest.mark.parametrize(
    ("arguments", "loads"),
    [
        # listings of gcc 12 and clang 19 for c[3 * i] += x * a[k]
        ("double *c, const double *a, double x, long n, long k", 2),
        ("double *restrict c, const double *a, double x, long n, long k", 1),
        ("double *c, const float *a, double x, long n, long k", 1),  # another type
    ],
)
def test_a_store_that_may_change_an_element_makes_the_loop_read_it_again(
    arguments: str, loads: int, compiler: Compiler
) -> None:
    body = "for (long i = 0; i < n; i++) c[3 * i] += x * a[k];"
    made = instructions(arguments, body, compiler)
    assert (made["load"], made["store"]) == (loads, 1)


@pytest.mark.parametrize("compiler", [Compiler("gcc"), Compiler("clang")], ids=["gcc", "clang"])
def test_bodies_have_the_elements_that_they_read_again(compiler: Compiler) -> None:
    """Models that schedule a body know where each of its loads goes."""
    text = (
        "void f(double *c, const double *a, double x, long n, long k)"
        " { for (long i = 0; i < n; i++) c[i + 1] = c[i] * 0.5 + x * a[k]; }"
    )
    (source,) = extract(Request("/nowhere/a", Flags("c"), text.encode())).functions
    machine = find_machine("zen4-9654", (builtin_dir(),))
    lazy = LazyPlan(source.function, facts_of(source.function)[-1], machine, compiler)
    body = lazy.body(lazy.plan.scalar)
    made = {number for number in body.by_value if number >= 0}
    accessed = {n for n in made if body.graph.nodes[n].op in ("load", "store")}
    assert accessed == set(body.graph.accesses("load", "store")) - body.in_register
    assert "a" in {access.array for n in accessed if (access := body.graph.nodes[n].access)}
