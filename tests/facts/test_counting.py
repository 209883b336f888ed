"""Flops of whole functions against closed forms of their loop bounds."""

from types import ModuleType

import pytest
from rooflint.facts import function_work

SIZES = (13, 40, 120, 2000)


def test_gemm(build: ModuleType, nests: ModuleType) -> None:
    # beta: one per element of C; update: two products and a sum per (i, k, j)
    for ni, nj, nk in ((20, 25, 30), (1000, 1100, 1200)):
        work = function_work(nests.gemm(build), {"ni": ni, "nj": nj, "nk": nk})
        assert work.flops == ni * nj + 3 * ni * nj * nk
        assert work.inexact == ""


@pytest.mark.parametrize("n", SIZES)
def test_lu(build: ModuleType, nests: ModuleType, n: int) -> None:
    # lower part: 2 flops for k < j < i, a division for j < i; upper part: 2 flops for k < i <= j
    below = n * (n - 1) * (n - 2) // 6
    above = sum(i * (n - i) for i in range(n))
    expected = 2 * below + n * (n - 1) // 2 + 2 * above
    assert function_work(nests.lu(build), {"n": n}).flops == expected
    # which is n(n-1)(4n+1)/6 in all
    assert expected == n * (n - 1) * (4 * n + 1) // 6


@pytest.mark.parametrize("n", SIZES)
def test_cholesky(build: ModuleType, nests: ModuleType, n: int) -> None:
    pairs, triples = n * (n - 1) // 2, n * (n - 1) * (n - 2) // 6
    # 2 flops a triple, a division and 2 flops a pair, a root a row
    expected = 2 * triples + 3 * pairs + n
    assert function_work(nests.cholesky(build), {"n": n}).flops == expected


@pytest.mark.parametrize("n", SIZES)
def test_trisolv(build: ModuleType, nests: ModuleType, n: int) -> None:
    # 2 flops for j < i and one division a row: n(n-1) + n
    assert function_work(nests.trisolv(build), {"n": n}).flops == n * n


def test_correlation_triangle(build: ModuleType, nests: ModuleType) -> None:
    # 2 flops for each k and each pair i < j
    for m, n in ((28, 32), (1200, 1400)):
        work = function_work(nests.correlation_triangle(build), {"m": m, "n": n})
        assert work.flops == 2 * n * m * (m - 1) // 2


def test_a_branch_counts_its_condition_and_its_heavier_side(build: ModuleType) -> None:
    a = build.array("a", "f64", "n")
    test = build.op("compare", a["i"] * 2.0)  # one flop in the condition
    heavy, light = a["i"].set(a["i"] / 3.0 + 1.0), a["i"].set(a["i"] + 1.0)
    body = build.branch(test, [light], [heavy])
    function = build.function("f", [a], build.loop("i", 0, "n", body))
    assert function_work(function, {"n": 10}).flops == 10 * (1 + 2)


def test_code_outside_loops_counts_once(build: ModuleType) -> None:
    a = build.array("a", "f64", 10)
    function = build.function("f", [a], a[0].set(a[1] + a[2]))
    assert function_work(function, {}) == (1, 2, 1, "")


def test_an_uncountable_loop_makes_an_estimate_with_a_reason(build: ModuleType) -> None:
    a = build.array("a", "f64", None)
    nest = build.loop("i", 0, "n", build.loop("j", 0, "i * i", a["j"].add(a["i"])))
    work = function_work(build.function("f", [a], nest), {"n": 11})
    assert work.inexact == "'i*i' is not linear in the loop indices"
    assert work.flops == 11 * 25
