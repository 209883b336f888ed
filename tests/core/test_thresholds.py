"""Where a decision turns: the last case on one side, and the first on the other."""

from collections.abc import Callable
from types import ModuleType

import pytest
from rooflint.core import Compiler
from rooflint.core.code import Code, CorePlan, VectorPlan
from rooflint.core.vectorize.vectorizer import is_cheaper
from rooflint.ir import Function, Statement

SKX = "skylake-sp-6148"
Plan = Callable[..., CorePlan]


def code(cycles: float, issue: float = 0.0, waits: float = 0.0) -> Code:
    return Code(
        vector=VectorPlan(4, 1, 32),
        operations=(),
        overlapping_cy=cycles,
        non_overlapping_cy=0.0,
        issue_cy=issue,
        recurrence_cy=waits,
        call_cy=0.0,
        critical_path_cy=0.0,
        busiest=frozenset(),
    )


@pytest.mark.parametrize(
    ("cycles", "taken"), [(0.99, True), (1.0, False), (1.01, False), (1.24, False)]
)
def test_vector_code_has_to_take_fewer_cycles(cycles: float, taken: bool) -> None:
    assert is_cheaper(code(cycles), code(1.0)) is taken


@pytest.mark.parametrize(
    ("cycles", "issue", "taken"),
    # both wait 4 cycles for a value; the scalar body has 1 cycle of work on its ports
    [(0.99, 0.0, True), (1.0, 0.0, False), (0.5, 0.99, True), (0.5, 1.0, False)],
)
def test_of_two_that_wait_as_long_the_one_with_less_to_do(
    cycles: float, issue: float, taken: bool
) -> None:
    assert is_cheaper(code(cycles, issue, waits=4.0), code(1.0, waits=4.0)) is taken


def one_loop(build: ModuleType, *body: Statement) -> Function:
    heap = [build.array(name, "f64", None, storage="heap") for name in "qpr"]
    small = build.array("k", "i8", None, storage="heap")
    return build.function("f", [*heap, small], build.loop("i", 0, "n", *body))


def arithmetic(made: CorePlan) -> set[str]:
    return {op.kind.partition(".")[0] for op in made.code.operations if op.role == "arithmetic"}


def test_a_product_that_is_needed_by_itself_is_not_fused(plan: Plan, build: ModuleType) -> None:
    q, p, r = (build.array(name, "f64", None, storage="heap") for name in "qpr")
    # q = p*s + r alone is one fused operation; where p*s is stored as well, the product has to be
    # there, and fusing it would multiply twice
    added = q["i"].set(p["i"] * build.scalar("s") + r["i"])
    assert arithmetic(plan(one_loop(build, added), SKX)) == {"fma"}
    stored = r["i"].set(p["i"] * build.scalar("s"))
    both = one_loop(build, added, stored)
    assert arithmetic(plan(both, SKX, Compiler(contract="fast"))) == {"mul", "add"}


STORED = [
    # memset repeats one byte: of doubles only 0.0 does, of single bytes any value
    ("q", 0.0, "memset"), ("q", 1.0, None), ("q", "s", None),
    ("k", 7, "memset"), ("k", "s", "memset"),
]  # fmt: skip


@pytest.mark.parametrize(("array", "stored", "library"), STORED)
def test_values_that_memset_can_repeat(
    plan: Plan, build: ModuleType, array: str, stored: str | float, library: str | None
) -> None:
    kind = {"q": "f64", "k": "i8"}[array]
    make = build.scalar if isinstance(stored, str) else build.number
    value = make(stored, kind)
    store = build.array(array, kind, None, storage="heap")["i"].set(value)
    assert plan(one_loop(build, store), SKX).code.vector.library == library


@pytest.mark.parametrize(
    ("target", "source", "library"),
    [
        ("i", "i", "memcpy"),
        # half of the elements, or one element for all: no row of bytes is copied
        ("i", "2*i", None),
        ("2*i", "2*i", None),
        ("i", "0", None),
    ],
)
def test_loops_that_memcpy_replaces(
    plan: Plan, build: ModuleType, target: str, source: str, library: str | None
) -> None:
    q, p = (build.array(name, "f64", None, storage="heap") for name in "qp")
    copy = one_loop(build, q[target].set(p[source]))
    assert plan(copy, SKX).code.vector.library == library
    assert plan(copy, SKX, Compiler(level=1)).code.vector.library is None


def test_a_value_has_to_be_stored_before_a_vector_reads_it(plan: Plan, build: ModuleType) -> None:
    q, p, r = (build.array(name, "f64", None, storage="heap") for name in "qpr")
    store, load = q["i"].set(p["i"] + 1.0), r["i"].set(q["i - 1"] * 2.0)
    # q[i] stored first: a vector of q is there when a vector of q[i - 1] is read
    assert plan(one_loop(build, store, load), SKX).code.vector.width == 4
    # read first: the second element of a vector would be read before the first is stored
    vector = plan(one_loop(build, load, store), SKX).code.vector
    assert vector.width == 1
    assert str(vector.reason).startswith("recurrence: q[i - 1] reads the value stored 1 iteration")


def test_a_difference_is_a_sum_of_what_is_taken_away_only(plan: Plan, build: ModuleType) -> None:
    p = build.array("p", "f64", None, storage="heap")
    s = build.carried("s")
    fast = Compiler().fast
    # s - p[0] - p[1] … is s less a sum, which parts may make; p[i] - s changes its sign each time
    assert plan(one_loop(build, build.assign("s", s - p["i"])), SKX, fast).code.vector.width == 4
    vector = plan(one_loop(build, build.assign("s", p["i"] - s)), SKX, fast).code.vector
    assert vector.width == 1
    assert str(vector.reason) == "recurrence: s needs its value from the previous iteration"


@pytest.mark.parametrize(
    ("compiler", "trips", "taken"),
    # clang's code enters with all 4 vectors of 4; gcc's with one
    [
        (Compiler(), 16, True),
        (Compiler(), 15, False),
        (Compiler(), 0, True),
        (Compiler("gcc"), 4, True),
        (Compiler("gcc"), 3, False),
    ],
)
def test_iterations_that_reach_the_vectors(compiler: Compiler, trips: int, taken: bool) -> None:
    vectors = code(1.0)._replace(vector=VectorPlan(4, 4, 32))
    scalar = code(4.0)._replace(vector=VectorPlan(1, 1, None))
    plan = CorePlan(code=vectors, scalar=scalar, compiler=compiler, passes=(), assumptions=())
    assert plan.fills(trips) is taken
    assert (plan.code_for(trips)[0] is vectors) is taken
