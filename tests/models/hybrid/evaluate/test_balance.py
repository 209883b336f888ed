"""T_C = T_tr: in numbers by evaluating again, and as the formulas (4.1)-(4.5) of the thesis."""

from collections.abc import Callable

import pytest
import sympy
from rooflint.errors import UsageError
from rooflint_plugins.models.hybrid.evaluate.balance import balance, best_count, what_if
from rooflint_plugins.models.hybrid.evaluate.balance_formula import (
    balance_equation,
    balance_formula,
)
from rooflint_plugins.models.hybrid.evaluate.evaluator import estimate
from rooflint_plugins.models.hybrid.evaluate.results import ProcedureEstimate
from rooflint_plugins.models.hybrid.evaluate.system import System
from rooflint_plugins.models.hybrid.procedure.load import read_procedures
from rooflint_plugins.models.hybrid.procedure.records import Procedure

MACHINE = ("K", "F", "BW")

# Ideal kernels of CP2: 4 flops a cycle in stencils (3.3), 2 flops a nonzero at (2K+1) load commands
# for 2 nonzeros in SpMV (3.12), whose slice is shared by the K sections.
IDEAL = """\
- schema: hybrid-procedure/1
  name: mg
  params: {V: 2048}
  ops_total: 31*V*K
  kernels: {ro: {ops: 31*V, perf: 4*F}}
  stages:
  - name: blocks
    ops: [{kind: load, bytes: 3*4*V}, {kind: kernel, kernel: ro}, {kind: store, bytes: 4*V}]
- schema: hybrid-procedure/1
  name: spmv
  params: {NZ: 1000, as_printed: 0}
  ops_total: 2*NZ
  kernels: {rows: {ops: 2*NZ/K**(1-as_printed), perf: 4*F/(2*K+1)}}
  stages:
  - name: slices
    ops: [{kind: kernel, kernel: rows}, {kind: load, bytes: 8*NZ, per: once}]
- schema: hybrid-procedure/1
  name: addressed
  params: {NZ: 1000, as_printed: 0}
  ops_total: 2*NZ
  kernels: {rows: {ops: 2*NZ/K**(1-as_printed), perf: 4/3*F}}
  stages:
  - name: slices
    ops: [{kind: kernel, kernel: rows}, {kind: load, bytes: 8*NZ, per: once}]
"""


@pytest.fixture
def ideal() -> Callable[[str], Procedure]:
    procedures = {p.name: p for p in read_procedures(IDEAL, "ideal.yaml")}
    return lambda name: procedures[name]


def same(formula: object, expected: str) -> bool:
    names = {name: sympy.Symbol(name, positive=True) for name in ("K", "F", "N", "e")}
    names["log2"] = lambda x: sympy.log(x) / sympy.log(2)
    left, right = (sympy.sympify(str(text), locals=names) for text in (formula, expected))
    return bool(sympy.simplify(left - right) == 0)


def test_short_fft_is_32_k_f_over_log_n(
    evaluate: Callable[..., ProcedureEstimate],
) -> None:
    found = evaluate("fft_short", "vm7")
    formula = balance_formula(found, "BW", keep=(*MACHINE, "N"))
    assert str(formula) == "32*F*K/log2(N)"
    assert same(formula, "32*K*F/log2(N)")  # (4.1)
    # the worked example: VM7 with 3200 MB/s is balanced at N = 2**(32*4*200/3200) = 2**8
    length = balance_formula(found, "N", keep=(*MACHINE, "N"))
    assert str(length) == "2**(32*F*K/BW)"


def test_multigrid_is_64_k_f_over_31(
    ideal: Callable[[str], Procedure], systems: Callable[[str], System]
) -> None:
    found = estimate(ideal("mg"), systems("vm7"))
    assert str(balance_formula(found, "BW", keep=MACHINE)) == "64*F*K/31"  # (4.2)
    # 64*4*200/31 = 1651.6 MB/s
    assert balance(found).bandwidth_b_s == pytest.approx(1651.6129e6, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "as_printed", "expected", "vm7_mb_s"),
    [
        ("spmv", 0, "16*F*K/(2*K + 1)", 1422.2),  # (4.3) with the K that the text implies
        ("spmv", 1, "16*F/(2*K + 1)", 355.6),  # (4.3) as printed
        ("addressed", 0, "16*F*K/3", 4266.7),  # (4.5)
        ("addressed", 1, "16*F/3", 1066.7),
    ],
)
def test_sparse_matrix_vector(
    ideal: Callable[[str], Procedure],
    systems: Callable[[str], System],
    name: str,
    as_printed: int,
    expected: str,
    vm7_mb_s: float,
) -> None:
    values = {"as_printed": as_printed}
    found = estimate(ideal(name), systems("vm7"), values)
    formula = balance_formula(found, "BW", keep=MACHINE)
    assert str(formula) == expected
    assert same(formula, expected)
    in_numbers = balance(found, values).bandwidth_b_s
    assert in_numbers == pytest.approx(vm7_mb_s * 1e6, rel=3e-4)


def test_balance_in_numbers_is_beta_to_the_power_of_the_symbol(
    evaluate: Callable[..., ProcedureEstimate],
) -> None:
    # FT on 4 TITAN, planes: BW* = 32 / 0.1125 = 284.4 GB/s, K* = 4 * 0.1125 = 0.45
    found = evaluate("ft3d_two_stage", "titan-node")
    solved = balance(found)
    assert solved.stage == "planes"
    assert solved.beta == pytest.approx(0.1125)
    assert solved.bandwidth_b_s == pytest.approx(32e9 / 0.1125)
    assert solved.coprocessors == pytest.approx(4 * 0.1125)
    assert solved.perf_factor == pytest.approx(0.1125)
    assert not solved.balanced


def test_balance_solves_where_beta_is_no_power_law(
    ideal: Callable[[str], Procedure], systems: Callable[[str], System]
) -> None:
    # T_C / T_tr = (2K+1) / (4 F K) * BW / 4: K* = BW / (16 F - 2 BW), 3 GB/s at 200 MHz: negative;
    # at 1.5 GB/s: 1.5e9 / (3.2e9 - 3e9) = 7.5
    found = estimate(ideal("spmv"), systems("vm7"), {"BW": 1.5e9})
    assert balance(found, {"BW": 1.5e9}).coprocessors == pytest.approx(7.5, rel=1e-6)
    high = estimate(ideal("spmv"), systems("vm7"), {"BW": 3e9})
    assert balance(high, {"BW": 3e9}).coprocessors is None


@pytest.mark.parametrize(
    ("procedure", "machine"),
    [("ft3d_two_stage", "titan-node"), ("mg_resident", "titan-node"), ("fft_long", "vm9"),
     ("stencil_streamed", "vm7"), ("spmv_streamed", "vm7"), ("triad_streamed", "h100-pcie-server")],
)  # fmt: skip
def test_beta_is_one_at_the_balance(
    evaluate: Callable[..., ProcedureEstimate], procedure: str, machine: str
) -> None:
    solved = balance(evaluate(procedure, machine))
    assert solved.bandwidth_b_s is not None
    values = {"BW": solved.bandwidth_b_s}
    again = evaluate(procedure, machine, values)
    stage = next(s for s in again.stages if s.name == solved.stage)
    assert stage.beta == pytest.approx(1)


def test_formula_and_numbers_agree(evaluate: Callable[..., ProcedureEstimate]) -> None:
    for procedure in ("fft_short", "stencil_streamed", "spmv_streamed", "fft_long"):
        found = evaluate(procedure, "vm7")
        text = str(balance_formula(found, "BW")).replace("log2", "sympy_log2")
        names = {"sympy_log2": lambda x: sympy.log(x, 2)} | dict(found.symbols)
        assert float(sympy.sympify(text, locals=names)) == pytest.approx(
            balance(found).bandwidth_b_s
        )


def test_what_has_no_formula_says_why(evaluate: Callable[..., ProcedureEstimate]) -> None:
    found = evaluate("fft_short", "vm7")
    assert "T_C / T_tr does not depend on M" in balance_equation(found, "M")
    with pytest.raises(UsageError, match="no symbol 'DMEN'; did you mean 'DMEM'"):
        balance_equation(found, "DMEN")


def test_more_coprocessors_can_be_worse(evaluate: Callable[..., ProcedureEstimate]) -> None:
    # T = 8 N (K + 1/... ) dominated by 8KN/BW + 2NZ/(K Perf): minimum at sqrt(NZ BW / (4 N Perf))
    # = sqrt(36121058 * 32 / (4 * 150000 * 16.5)) = 10.8
    found = evaluate("spmv_resident", "titan-node")
    assert best_count(found) == 11


def test_changes_are_ranked_and_those_without_effect_left_out(
    evaluate: Callable[..., ProcedureEstimate],
) -> None:
    changes = what_if(evaluate("ft3d_two_stage", "titan-node"))
    # bound by the channel in both stages: K and faster kernels bring nothing
    assert {c.parameter: pytest.approx(c.gain) for c in changes} == {"BW": 2, "duplex": 2}
    gains = [c.gain for c in what_if(evaluate("spmv_resident", "k100-node"))]
    assert gains == sorted(gains, reverse=True)


def test_a_change_of_the_number_doubles_it(evaluate: Callable[..., ProcedureEstimate]) -> None:
    # bound by its kernels on 4 coprocessors: 8 of them, or kernels twice as fast, take half
    changes = what_if(evaluate("stencil_streamed", "vm7"))
    assert {c.words: c.gain for c in changes} == {
        "8 coprocessors": pytest.approx(2),
        "kernels twice as fast": pytest.approx(2),
    }
