"""The evaluator beyond the printed tables: refined transfers, channels, capacity, figures [D]."""

from collections.abc import Callable

import pytest
from rooflint.machine import Channel
from rooflint_plugins.models.hybrid.evaluate.evaluator import estimate
from rooflint_plugins.models.hybrid.evaluate.results import ProcedureEstimate
from rooflint_plugins.models.hybrid.evaluate.system import System
from rooflint_plugins.models.hybrid.procedure.load import read_procedures


# Specification 3.4: twiddle factors loaded as well, rates of table B.3 for columns: per element
# stage 1 is 2 GET + 1 PUT, stage 2 is 1 GET + 1 PUT. VM7, run 64, stride 256:
# 8 B * (2/2156 + 1/2348 + 1/2156 + 1/2348) us = 17.946 ns; 5 * 16 flops / 17.946 ns = 4458 MOP/s
@pytest.mark.parametrize(
    ("machine", "run", "mop_s"),
    [("vm7", 64, 4458), ("vm7", 32, 4367), ("vm9", 64, 12653), ("vm9", 32, 11112)],
)
def test_long_fft_at_measured_rates(
    evaluate: Callable[..., ProcedureEstimate], machine: str, run: int, mop_s: float
) -> None:
    found = evaluate("fft_long", machine, {"run": run}, refined=True)
    assert found.perf_op_s / 1e6 == pytest.approx(mop_s, abs=0.5)
    plain = evaluate("fft_long", machine, {"run": run})
    assert plain.perf_op_s > found.perf_op_s


@pytest.mark.parametrize(("machine", "mop_s"), [("vm7", 99.0), ("vm9", 494.8)])
def test_padding_costs_time_and_adds_no_operations(
    evaluate: Callable[..., ProcedureEstimate], machine: str, mop_s: float
) -> None:
    matrix = {"N": 4096, "NZ": 500000, "psmadd": 9340723, "cycles": 259405792}
    found = evaluate("spmv_streamed", machine, matrix | {"pad": 582144 / 500000})
    assert found.perf_op_s / 1e6 == pytest.approx(mop_s, abs=0.05)
    plain = evaluate("spmv_streamed", machine, matrix)
    assert found.perf_op_s == pytest.approx(plain.perf_op_s * 500000 / 582144)
    assert found.ops == plain.ops


def test_boundary_points_before_inner_points(evaluate: Callable[..., ProcedureEstimate]) -> None:
    # 256*128*128 - 254*126*126 = 161800 points: 30 * 161800 / 128.42e9 = 37.797851 us
    (stage,) = evaluate("mg_resident_exact", "titan-node").stages
    assert stage.t_serial_s == pytest.approx(37.797851e-6, rel=1e-7)
    assert stage.t_cp_s == pytest.approx(942.027099e-6, rel=1e-7)
    assert stage.total_s == pytest.approx(979.824949e-6, rel=1e-7)


@pytest.mark.parametrize(
    ("coprocessors", "load_us", "gop_s"),
    [(1, 37.5, 16.359878), (4, 150, 58.045493), (8, 300, 85.262687)],
)
def test_full_formula_of_the_resident_sparse_product(
    evaluate: Callable[..., ProcedureEstimate], coprocessors: int, load_us: float, gop_s: float
) -> None:
    found = evaluate("spmv_resident", "titan-node", {"K": coprocessors})
    assert found.main.prologue_s == pytest.approx(load_us * 1e-6)
    assert found.perf_op_s / 1e9 == pytest.approx(gop_s, rel=1e-7)


def test_the_ten_procedures_of_the_specification(
    evaluate: Callable[..., ProcedureEstimate],
) -> None:
    seconds_and_gop_s = {
        ("ft3d_two_stage", "titan-node"): (0.268435456, 67.5),
        ("mg_resident", "titan-node"): (979.82495e-6, 513.68),
        ("mg_resident_exact", "titan-node"): (979.82495e-6, 513.68),
        ("fft_long", "vm7"): (0.77952e-3, 6.72578),
        ("stencil_streamed", "vm7"): (0.29075456, 1.7887723),
        ("spmv_streamed", "vm7"): (4.5536033e-3, 0.11513695),
        ("mg_cluster", "vm9-cluster8"): (0.10091717, 41.229352),
        ("triad_streamed", "titan-node"): (0.075, 2.6666667),
        ("dgemm_resident", "titan-node"): (0.30069245, 3656.5987),
    }
    for (procedure, machine), (seconds, gop_s) in seconds_and_gop_s.items():
        found = evaluate(procedure, machine)
        assert found.seconds == pytest.approx(seconds, rel=1e-6), procedure
        assert found.perf_op_s / 1e9 == pytest.approx(gop_s, rel=1e-6), procedure
        assert found.feasible, procedure


# (3.2), (3.6), (3.16): which side is longer, as the prose of the thesis says
@pytest.mark.parametrize(
    ("procedure", "machine", "values", "bound"),
    [
        ("fft_long", "vm7", {"N1": 64, "N2": 64, "cycles1": 247, "cycles2": 247}, "channel"),
        ("fft_long", "vm7", {"N1": 128, "N2": 128, "cycles1": 579, "cycles2": 579}, "channel"),
        ("fft_long", "vm7", {}, "kernel"),
        ("fft_long", "vm9", {}, "channel"),
        ("stencil_streamed", "vm7", {}, "kernel"),
        ("stencil_streamed", "vm9", {}, "kernel"),
        ("spmv_streamed", "vm7", {}, "kernel"),
        ("spmv_streamed", "vm9", {}, "kernel"),
        ("ft3d_two_stage", "titan-node", {}, "channel"),
    ],
)
def test_which_side_decides(
    evaluate: Callable[..., ProcedureEstimate],
    procedure: str,
    machine: str,
    values: dict[str, float],
    bound: str,
) -> None:
    found = evaluate(procedure, machine, values)
    assert {stage.bound for stage in found.stages} == {bound}
    assert found.limited_by == bound


def test_what_does_not_fit_says_by_how_much(evaluate: Callable[..., ProcedureEstimate]) -> None:
    # the longest short FFT in a bank of 32 KiB is 32768 / 8 = 4096 points
    assert evaluate("fft_short", "vm7", {"N": 4096}).feasible
    found = evaluate("fft_short", "vm7", {"N": 8192})
    assert not found.feasible
    assert found.fits[0].over_bytes == 32768


def test_a_direct_link_halves_an_exchange(systems: Callable[[str], System]) -> None:
    text = """\
schema: hybrid-procedure/1
name: exchange
params: {v: 1.0e+6}
ops_total: v
kernels: {k: {ops: 1, perf: 1.0e+9}}
stages: [{name: s, ops: [{kind: peer, bytes: v}, {kind: kernel, kernel: k}]}]
"""
    (procedure,) = read_procedures(text, "x.yaml")
    system = systems("titan-node")
    # without a link 1 MB goes out and comes in: 4 * 2 MB / 32 GB/s = 250 us
    assert estimate(procedure, system).seconds == pytest.approx(250e-6)
    linked = system._replace(
        peer="link", channels={**system.channels, "link": Channel(32.0, shared=True)}
    )
    assert estimate(procedure, linked).seconds == pytest.approx(125e-6)
    private = linked._replace(channels={**system.channels, "link": Channel(32.0, shared=False)})
    assert estimate(procedure, private).seconds == pytest.approx(31.25e-6)


def test_host_work_and_serial_transfers(systems: Callable[[str], System]) -> None:
    text = """\
schema: hybrid-procedure/1
name: host
params: {v: 32.0e+6}
ops_total: 1.0e+9
kernels: {k: {ops: 1.0e+6, perf: 1.0e+9}}
stages:
  - name: s
    iterations: 2.5
    ceil: true
    ops:
      - {kind: kernel, kernel: k}
      - {kind: host, ops: 330.0e+6}
      - {kind: load, bytes: v, per: once, overlap: false}
"""
    (procedure,) = read_procedures(text, "x.yaml")
    found = estimate(procedure, systems("titan-node"))
    # ceil(2.5) = 3 iterations of max(1 ms kernel, 330e6 / 330e9 = 1 ms host) + 32e6 / 32e9 = 1 ms
    assert found.seconds == pytest.approx(6e-3)


def test_rates_between_measured_runs_are_interpolated(systems: Callable[[str], System]) -> None:
    vm7 = systems("vm7")
    low, high = 2.089e9, 2.156e9  # GET of 256 and 512 B, 2048 B apart
    # half way in the logarithm: 362 B
    between = vm7.pattern_rate_b_s("main", "load", 256 * 2**0.5, 2048)
    assert between == pytest.approx((low + high) / 2)
    assert vm7.pattern_rate_b_s("main", "load", 16, 2048) == pytest.approx(low)
    assert vm7.pattern_rate_b_s("main", "load", 1 << 20, 2048) == pytest.approx(2.191e9)
    titan = systems("titan-node")
    assert titan.pattern_rate_b_s("main", "store", 64, 64) == 32e9
