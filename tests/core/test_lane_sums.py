"""Sums that vectors leave in lanes: what an execution of some vectors takes beside them."""

import pytest
from rooflint.compile_flags.flag_reader import read_flags
from rooflint.core import LazyPlan
from rooflint.core.code import Code, RowSpace
from rooflint.core.lane_sums import EXPOSED
from rooflint.core.rows import LONG
from rooflint.facts import facts_of, space_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.machine import builtin_dir, find_machine
from rooflint.pipeline.setup.compilers import compiler_of

MACHINE = find_machine("zen4-9654", (builtin_dir(),))
NATIVE = ("-O3", "-march=znver4", "-fopenmp-simd")
BLOCKS = """void f(int n, const signed char *x, long *o) {{
  for (int j = 0; j < n; j += 64) {{
    {kind} any = 0;
    for (int i = {low}; i < {high}; i++) any |= x[{at}i] == 7;
    o[j] = any;
  }}
}}"""


def executed(text: str, n: int, *command: str) -> Code:
    """The innermost loop of ``f`` at a size."""
    flags = read_flags((*command, *NATIVE), "/", "/nowhere/a.c")
    (source,) = extract(Request("/nowhere/a.c", flags, text.encode())).functions
    facts = next(each for each in facts_of(source.function) if each.kernel.innermost)
    lazy = LazyPlan(source.function, facts, MACHINE, compiler_of(flags.code))
    values = {"n": n}
    return lazy.code_for(RowSpace(space_of(facts.kernel.loops, values), values, 64))[0]


def summed(n: int, driver: str, kind: str = "float", clause: str = "+") -> Code:
    text = f"""{kind} f(int n, const {kind} *x) {{
  {kind} s = 0;
#pragma omp simd reduction({clause} : s)
  for (int i = 0; i < n; i++) s {clause}= x[i];
  return s;
}}"""
    return executed(text, n, driver)


def ends(code: Code, n: int) -> float:
    """Cycles of a call."""
    return code.ends_cy * n / EXPOSED


def test_lanes_are_joined_by_halves() -> None:
    # four sums of 16 lanes: two steps of 3 cycles, then four with a shuffle of 1
    assert ends(summed(64, "clang"), 64) == pytest.approx(2 * 3 + 4 * (3 + 1))
    # eight lanes of integers by gcc, as no order counts
    assert ends(summed(64, "gcc", "long"), 64) == pytest.approx(3 * (1 + 1))


def test_gcc_adds_lanes_in_their_order_where_a_clause_sums_them() -> None:
    # through memory: a store of 64 B and 16 additions
    assert ends(summed(64, "gcc"), 64) == pytest.approx(12 + 16 * 3)
    assert ends(summed(64, "gcc", "double"), 64) == pytest.approx(12 + 8 * 3)


def test_long_executions_hide_it() -> None:
    assert summed(16 * LONG - 16, "gcc").ends_cy > 0
    assert summed(16 * LONG, "gcc").ends_cy == 0


def test_gcc_has_no_narrower_vectors_for_the_rest_of_a_clause() -> None:
    # rows of 56 floats: three vectors and 8 single additions, each waiting for the one before
    text = """void f(int n, const float *x, float *o) {
  for (int j = 0; j < n; j++) {
    float s = 0;
#pragma omp simd reduction(+ : s)
    for (int i = 0; i < n; i++) s += x[j * n + i];
    o[j] = s;
  }
}"""
    single = executed(text, 56, "gcc")
    assert single.recurrence_cy == pytest.approx((48 * 3 / 16 + 8 * 3) / 56)
    # without the clause, where sums may be reordered, one vector of half the size does them
    narrower = executed(text.replace("#pragma", "//"), 56, "gcc", "-ffast-math")
    assert narrower.recurrence_cy == pytest.approx((48 / 16 + 8 / 8) * 3 / 56)


@pytest.mark.parametrize("driver", ["gcc", "clang"])
def test_blocks_are_as_long_wherever_they_begin(driver: str) -> None:
    moved = BLOCKS.format(kind="signed char", low="j", high="j + 64", at="")
    still = BLOCKS.format(kind="signed char", low="0", high="64", at="j + ")
    both = [executed(text, 6400, driver) for text in (moved, still)]
    assert both[0].t_core_cy == pytest.approx(both[1].t_core_cy)
    assert both[0].vector.width == both[1].vector.width == 64


def test_bytes_that_collect_bits_stay_bytes() -> None:
    text = BLOCKS.format(kind="signed char", low="0", high="64", at="j + ")
    wide = BLOCKS.format(kind="int", low="0", high="64", at="j + ")
    for driver in ("gcc", "clang"):
        kinds = {op.kind for op in executed(text, 6400, driver).operations}
        assert kinds.isdisjoint({"widen.i32", "shuffle.i32", "logic.i32"})
        assert "logic.i8" in kinds
    assert "logic.i32" in {op.kind for op in executed(wide, 6400, "clang").operations}


def test_clang_asks_a_mask_whether_any_comparison_holds() -> None:
    text = BLOCKS.format(kind="signed char", low="0", high="64", at="j + ")
    assert ends(executed(text, 6400, "clang"), 64) == pytest.approx(3)


def test_a_block_of_one_pass_has_no_loop_of_its_own() -> None:
    texts = {n: BLOCKS.format(kind="signed char", low="0", high=n, at="j + ") for n in (64, 128)}
    one, two = [executed(text, 6400, "gcc").ends_cy * n for n, text in texts.items()]
    # 4 instructions for each of the row and its walk, of six a cycle
    assert two - one == pytest.approx(2 * 4 / 6)
