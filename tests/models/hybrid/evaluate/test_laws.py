"""What must hold for any system and sizes (section 2.5 of the specification's identities)."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.machine import Channel
from rooflint_plugins.models.hybrid.evaluate.evaluator import EstimateOptions, estimate
from rooflint_plugins.models.hybrid.evaluate.results import ProcedureEstimate
from rooflint_plugins.models.hybrid.evaluate.system import System
from rooflint_plugins.models.hybrid.procedure.load import read_procedures
from rooflint_plugins.models.hybrid.procedure.records import Procedure

STREAMED = """\
schema: hybrid-procedure/1
name: streamed
params: {ops: 100, inward: 16, outward: 8, page: 1000, n: 1.0e+6, Perf: 1.0e+9, perf2: 2.0e+9}
ops_total: ops*n
kernels: {k: {ops: ops*page, perf: Perf}}
stages:
  - name: pages
    iterations: n/(page*K)
    ops:
      - {kind: load, bytes: inward*page}
      - {kind: kernel, kernel: k}
      - {kind: store, bytes: outward*page}
"""
PASSES = """\
schema: hybrid-procedure/1
name: passes
params: {ops: 100, inward: 16, outward: 8, page: 1000, n: 1.0e+6, Perf: 1.0e+9, perf2: 2.0e+9}
ops_total: 3*ops*n
kernels: {a: {ops: ops*page, perf: Perf}, b: {ops: 2*ops*page, perf: perf2}}
stages:
  - name: first
    iterations: n/(page*K)
    ops:
      - {kind: load, bytes: inward*page}
      - {kind: kernel, kernel: a}
      - {kind: store, bytes: inward*page}
  - name: second
    iterations: n/(page*K)
    ops:
      - {kind: load, bytes: inward*page}
      - {kind: kernel, kernel: b}
      - {kind: store, bytes: outward*page}
"""
(ONE_PASS,) = read_procedures(STREAMED, "streamed.yaml")
(TWO_PASSES,) = read_procedures(PASSES, "passes.yaml")

rate = st.floats(1e6, 1e13)
systems_ = st.builds(
    lambda k, bw, duplex: System(
        name="any", coprocessors=float(k), memory_bytes=1e12, peak_op_s=1e14, device_b_s=1e12,
        bandwidth_b_s=bw, host_bytes=1e12, host_op_s=1e12, clock_hz=1e9, banks=1,
        channels={"main": Channel(bw / 1e9, duplex=duplex)}, peer=None, issue={},
    ),
    st.integers(1, 64), rate, st.just("half"),
)  # fmt: skip
sizes = st.fixed_dictionaries({
    "ops": st.floats(1, 1e4), "inward": st.floats(1, 1e3), "outward": st.floats(1, 1e3),
    "page": st.floats(1, 1e6), "n": st.floats(1e3, 1e9), "Perf": rate, "perf2": rate,
})  # fmt: skip


@given(systems_, sizes)
def test_one_pass_is_a_roofline_with_the_channel_as_slanted_roof(
    system: System, values: dict[str, float]
) -> None:
    intensity = values["ops"] / (values["inward"] + values["outward"])
    roof = min(system.coprocessors * values["Perf"], intensity * system.bandwidth_b_s)
    assert estimate(ONE_PASS, system, values).perf_op_s == pytest.approx(roof)


@given(systems_, sizes)
def test_passes_compose_harmonically_and_stay_under_both_roofs(
    system: System, values: dict[str, float]
) -> None:
    n, ops, k, bw = values["n"], values["ops"], system.coprocessors, system.bandwidth_b_s
    computing = (ops * n / (k * values["Perf"]), 2 * ops * n / (k * values["perf2"]))
    moving = (2 * values["inward"] * n / bw, (values["inward"] + values["outward"]) * n / bw)
    perf = estimate(TWO_PASSES, system, values).perf_op_s
    longest = sum(max(pair) for pair in zip(computing, moving, strict=True))
    assert perf == pytest.approx(3 * ops * n / longest)
    assert perf <= 3 * ops * n / sum(computing) * (1 + 1e-9)
    assert perf <= 3 * ops * n / sum(moving) * (1 + 1e-9)


@given(systems_, sizes, st.floats(1, 100), st.sampled_from(["BW", "K", "Perf", "perf2"]))
def test_more_bandwidth_coprocessors_or_kernel_speed_never_hurt_streamed_procedures(
    system: System, values: dict[str, float], factor: float, which: str
) -> None:
    for procedure in (ONE_PASS, TWO_PASSES):
        before = estimate(procedure, system, values).perf_op_s
        now = {"BW": system.bandwidth_b_s, "K": system.coprocessors}.get(which) or values[which]
        after = estimate(procedure, system._replace(peak_op_s=1e16), values | {which: now * factor})
        assert after.perf_op_s >= before * (1 - 1e-9)


@given(systems_, sizes, st.floats(0.01, 100))
def test_the_page_size_cancels(system: System, values: dict[str, float], factor: float) -> None:
    for procedure in (ONE_PASS, TWO_PASSES):
        before = estimate(procedure, system, values).perf_op_s
        after = estimate(procedure, system, values | {"page": values["page"] * factor}).perf_op_s
        assert after == pytest.approx(before)


@given(systems_, sizes, st.floats(0.1, 10))
def test_all_rates_scaled_scale_the_performance(
    system: System, values: dict[str, float], factor: float
) -> None:
    faster = values | {"BW": system.bandwidth_b_s * factor}
    before = estimate(TWO_PASSES, system, values).perf_op_s
    after = estimate(TWO_PASSES, system, faster, EstimateOptions(perf_factor=factor)).perf_op_s
    assert after == pytest.approx(before * factor)


@given(systems_, sizes)
def test_never_above_the_peak_of_all_coprocessors(system: System, values: dict[str, float]) -> None:
    peak = system.coprocessors * system.peak_op_s
    assert estimate(ONE_PASS, system, values).perf_op_s <= peak * (1 + 1e-9)


@given(systems_, sizes)
def test_duplex_is_between_as_fast_and_twice_as_fast(
    system: System, values: dict[str, float]
) -> None:
    full = {"main": system.channels["main"]._replace(duplex="full")}
    half = estimate(ONE_PASS, system, values).perf_op_s
    both = estimate(ONE_PASS, system._replace(channels=full), values).perf_op_s
    assert half * (1 - 1e-9) <= both <= 2 * half * (1 + 1e-9)


def test_resident_sparse_product_has_a_best_number_of_coprocessors(
    evaluate: Callable[..., ProcedureEstimate], examples: Callable[[str], Procedure]
) -> None:
    assert examples("spmv_resident").shape == "C3"
    perf = [evaluate("spmv_resident", "titan-node", {"K": k}).perf_op_s for k in (4, 10.8, 40)]
    assert perf[0] < perf[1] > perf[2]
