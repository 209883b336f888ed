"""The Roofline model against the Roofline report, and its laws."""

from types import ModuleType

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rooflint.facts import facts_of
from rooflint.hookspecs import Context
from rooflint.ir import Function
from rooflint.machine import Machine, builtin_dir, find_machine
from rooflint.memory import Rates, capacity_bytes, traffic
from rooflint.prediction import NotApplicable, Prediction
from rooflint.sizes import Given, resolve
from rooflint_plugins.models.roofline import Roofline, attainable

positive = st.floats(1e-3, 1e6)


def machine(name: str) -> Machine:
    return find_machine(name, (builtin_dir(),))


def predict(
    function: Function, name: str, cores: str = "1", kernel: int = -1, **sizes: int
) -> Prediction | NotApplicable:
    target = machine(name)
    count = target.resolve_cores(cores)
    rates = Rates(target, count)
    arrays = {array.name: array for array in function.arrays}
    facts = facts_of(function)
    given_sizes = Given("command line", sizes)
    resolved = resolve(
        facts, arrays, (given_sizes,), capacity_bytes(target, count), target.line_bytes
    )
    own = facts[kernel]
    context = Context(
        function, own, traffic(own, arrays, resolved, rates), target, count, resolved, rates
    )
    return Roofline().predict(own.kernel, context)


def answer(function: Function, name: str, cores: str = "1", **sizes: int) -> Prediction:
    prediction = predict(function, name, cores, **sizes)
    assert isinstance(prediction, Prediction)
    return prediction


# UCB/EECS-2008-134, table 4: operational intensity of each kernel on each machine, and the roof
# min(peak, bandwidth * intensity) there; the Opteron with the 16.85 GB/s that the figure draws.
PAIRS = [
    ("xeon-clovertown", "SpMV", 0.25, 2.80),
    ("xeon-clovertown", "LBMHD", 1.07, 11.98),
    ("xeon-clovertown", "stencil", 0.50, 5.60),
    ("xeon-clovertown", "FFT", 1.64, 18.37),
    ("opteron-x4", "SpMV", 0.25, 4.21),
    ("opteron-x4", "LBMHD", 1.07, 18.03),
    ("opteron-x4", "stencil", 0.50, 8.43),
    ("opteron-x4", "FFT", 1.64, 27.63),
    ("ultrasparc-t2plus", "SpMV", 0.25, 9.18),
    ("ultrasparc-t2plus", "LBMHD", 0.70, 18.67),
    ("ultrasparc-t2plus", "stencil", 0.33, 12.11),
    ("ultrasparc-t2plus", "FFT", 1.09, 18.67),
    ("cell", "SpMV", 0.25, 11.90),
    ("cell", "LBMHD", 1.07, 29.26),
    ("cell", "stencil", 0.47, 22.37),
    ("cell", "FFT", 1.09, 29.26),
]


@pytest.mark.parametrize(("name", "kernel", "intensity", "expected"), PAIRS)
def test_table_4_of_the_report(name: str, kernel: str, intensity: float, expected: float) -> None:
    target = machine(name)
    cores = target.resolve_cores("node")
    peak = target.peak_gops("f64", cores)
    bandwidth = target.bandwidth_gb_s("MEM", "load", cores)
    assert peak is not None
    assert bandwidth is not None
    found = attainable(peak.value_g_per_s, bandwidth.gb_s, intensity)
    assert found == pytest.approx(expected, abs=0.006), kernel


@given(positive, positive, positive, st.floats(1.0, 100.0))
def test_more_bandwidth_never_lowers_the_estimate(
    peak: float, bandwidth: float, intensity: float, factor: float
) -> None:
    before = attainable(peak, bandwidth, intensity)
    assert attainable(peak, bandwidth * factor, intensity) >= before
    assert attainable(peak * factor, bandwidth, intensity) >= before
    assert attainable(peak, bandwidth, intensity * factor) >= before


@given(positive, positive, positive)
def test_the_roof_is_never_above_either_side(
    peak: float, bandwidth: float, intensity: float
) -> None:
    found = attainable(peak, bandwidth, intensity)
    assert found <= peak
    assert found <= bandwidth * intensity
    assert found in (peak, bandwidth * intensity)


@given(positive, positive, positive, st.sampled_from((0.125, 0.5, 8.0, 1024.0)))
def test_other_units_of_work_change_nothing(
    peak: float, bandwidth: float, intensity: float, unit: float
) -> None:
    # counting work in other units scales peak and intensity, and with them the answer
    scaled = attainable(peak * unit, bandwidth, intensity * unit)
    assert scaled == pytest.approx(unit * attainable(peak, bandwidth, intensity))


def test_triad_on_the_opteron(build: ModuleType, nests: ModuleType) -> None:
    # 2 flops over 32 B at 16.85 GB/s: 1.053 GFLOP/s; at 2.3 GHz an iteration takes
    # 2 / 1.053 ns = 1.899 ns = 4.368 cycles
    found = answer(nests.streaming(build)["triad"], "opteron-x4", "node", n=1 << 24)
    assert found.data["attainable_g_per_s"] == pytest.approx(16.85 / 16)
    assert found.data["intensity_per_byte"] == pytest.approx(0.0625)
    assert found.data["bound"] == "memory"
    assert found.headline == "1.05 GFLOP/s"
    assert found.cycles_per_iteration == pytest.approx(32 / 16.85 * 2.3)
    assert found.sentence == (
        "memory-bound: 0.0625 flop/B at 16.9 GB/s (L3-MEM) allows 1.05 of 73.6 GFLOP/s peak"
    )


def test_triad_on_cell_has_no_write_allocate(build: ModuleType, nests: ModuleType) -> None:
    # 2 flops over 24 B at 47.6 GB/s
    found = answer(nests.streaming(build)["triad"], "cell", "node", n=1 << 24)
    assert found.data["attainable_g_per_s"] == pytest.approx(47.6 / 12)
    assert found.bottleneck == "LS-MEM"


def test_the_keys_of_the_contract(build: ModuleType, nests: ModuleType) -> None:
    found = answer(nests.jacobi2d(build), "sandybridge-ep-e5-2680", n=5000)
    assert list(found.data) == [
        "bound",
        "link",
        "metric",
        "intensity_per_byte",
        "attainable_g_per_s",
        "peak_g_per_s",
        "bandwidth_gb_s",
        "ridge_per_byte",
        "levels",
    ]
    levels = found.data["levels"]
    assert isinstance(levels, list)
    assert [level["link"] for level in levels if isinstance(level, dict)] == [
        "REG-L1",
        "L1-L2",
        "L2-L3",
        "L3-MEM",
    ]
    peak, ridge = found.data["peak_g_per_s"], found.data["ridge_per_byte"]
    bandwidth = found.data["bandwidth_gb_s"]
    assert isinstance(peak, float)
    assert isinstance(bandwidth, float)
    assert ridge == pytest.approx(peak / bandwidth)


def test_much_work_per_byte_is_compute_bound(build: ModuleType) -> None:
    a = build.array("a", "f64", "n")
    value = a["i"]
    for _ in range(40):
        value = value * 1.5 + 2.0
    function = build.function("f", [a], build.loop("i", 0, "n", a["i"].set(value)))
    # 80 flops over 16 B is 5 flop/B, past the ridge of 73.6 / 16.85 = 4.37
    found = answer(function, "opteron-x4", "node", n=1 << 24)
    assert (found.data["bound"], found.bottleneck) == ("compute", "compute")
    assert found.data["attainable_g_per_s"] == pytest.approx(73.6)
    assert found.sentence.startswith("compute-bound: 5 flop/B is past the ridge point at 4.37")
    assert found.cycles_per_iteration == pytest.approx(80 / 73.6 * 2.3)


def test_a_copy_counts_bytes(build: ModuleType, nests: ModuleType) -> None:
    found = answer(nests.streaming(build)["copy"], "opteron-x4", "node", n=1 << 24)
    assert found.data["metric"] == "byte"
    assert found.data["attainable_g_per_s"] == pytest.approx(16.85)
    assert found.data["intensity_per_byte"] == 1
    # 24 B at 16.85 GB/s
    assert found.cycles_per_iteration == pytest.approx(24 / 16.85 * 2.3)


def test_a_transposition_counts_exchanges(build: ModuleType) -> None:
    a, b = build.array("a", "f64", "n", "n"), build.array("b", "f64", "n", "n")
    inner = build.loop("j", 0, "n", a["i", "j"].set(b["j", "i"]))
    function = build.function("f", [a, b], build.loop("i", 0, "n", inner))
    # a pair of doubles is one exchange: 16 B in, 16 out, 16 fetched: 1/48; Cell 1/32
    found = answer(function, "opteron-x4", "node", n=4096)
    assert found.data["metric"] == "exchange"
    assert found.data["intensity_per_byte"] == pytest.approx(1 / 48)
    cell = answer(function, "cell", "node", n=4096)
    assert cell.data["intensity_per_byte"] == pytest.approx(1 / 32)
    assert cell.headline == f"{47.6 / 32:.3g} Gexchange/s"


def test_integers_have_a_roof_of_their_own(build: ModuleType) -> None:
    a = build.array("a", "i32", "n")
    body = a["i"].set(build.op("xor", a["i"], a["i"] * 3))
    function = build.function("f", [a], build.loop("i", 0, "n", body))
    found = answer(function, "generic-avx2", n=1 << 26)
    assert found.data["metric"] == "iop"
    # two operations over 8 B
    assert found.data["intensity_per_byte"] == pytest.approx(0.25)


def test_indirect_accesses_state_both_ends(build: ModuleType, nests: ModuleType) -> None:
    sizes = {"n": 1 << 20, "row[i+1]-row[i]": 16}
    found = predict(nests.spmv(build), "opteron-x4", "node", 1, **sizes)
    assert isinstance(found, Prediction)
    # 2 flops over 12 B, or over 76 B when every x takes a line: 16.85 * 2 / 76 = 0.443
    assert found.data["attainable_g_per_s"] == pytest.approx(16.85 / 6)
    assert found.sentence.endswith("down to 0.443 if every indirect access takes a line")


def test_complex_numbers_have_the_peak_of_their_parts(build: ModuleType) -> None:
    a = build.array("a", "c128", "n")
    function = build.function("f", [a], build.loop("i", 0, "n", a["i"].set(a["i"] * a["i"])))
    found = answer(function, "opteron-x4", "node", n=1 << 24)
    # a product of complex numbers is six flops, over 32 B
    assert found.data["intensity_per_byte"] == pytest.approx(6 / 32)
    assert found.data["peak_g_per_s"] == pytest.approx(73.6)


def test_arithmetic_on_registers_is_compute_bound(build: ModuleType) -> None:
    body = build.assign("s", build.carried("s") * 0.5)
    found = answer(build.function("f", [], build.loop("i", 0, "n", body)), "opteron-x4")
    assert (found.bottleneck, found.data["link"]) == ("compute", None)


def test_loops_of_calls_say_that_there_is_nothing_to_limit(build: ModuleType) -> None:
    body = build.assign("s", build.call("rand", kind="i32"))
    found = predict(build.function("f", [], build.loop("i", 0, "n", body)), "opteron-x4")
    assert found == NotApplicable("moves no data, and opteron-x4 gives no peak for call:rand.i32")


@st.composite
def wild_nests(draw: st.DrawFn) -> tuple[list[tuple[str, str, str, int]], list[str]]:
    """Loops (index, lower, upper, step) and byte offsets, sensible or not."""
    expressions = st.sampled_from(
        ("0", "1", "7", "n", "n - 1", "m", "-3", "n*m", "n // 4", "n % 3", "min(n, m)", "2*n + m")
    )
    inner = st.sampled_from(("i", "i + 1", "n - i", "max(i, m)", "i*i", "i // 2", "min(i + 8, n)"))
    loops = [("i", draw(expressions), draw(expressions), draw(st.sampled_from((1, 2, -1))))]
    if draw(st.booleans()):
        bounds = st.one_of(expressions, inner)
        loops.append(("j", draw(bounds), draw(bounds), draw(st.sampled_from((1, 1, 3, -2)))))
    index = loops[-1][0]
    offsets = ["0", f"8*{index}", f"8*n*i + 8*{index}", f"-8*{index}", f"8*n*{index} + 8*i"]
    offsets += [f"8*({index} // 2)", f"8*({index} % 4)", f"8*i*{index}", f"16*{index} + 4", "8*m"]
    return loops, draw(st.lists(st.sampled_from(offsets), min_size=1, max_size=4))


@settings(max_examples=300, deadline=None)
@given(wild_nests(), st.integers(-2, 50), st.integers(-2, 50), st.booleans())
def test_every_nest_gets_an_answer_within_its_roof(
    build: ModuleType,
    nest: tuple[list[tuple[str, str, str, int]], list[str]],
    n: int,
    m: int,
    given_sizes: bool,
) -> None:
    loops, offsets = nest
    a, b = build.array("a", "f64", None), build.array("b", "f64", None)
    total = b.at(offsets[0])
    for offset in offsets[1:]:
        total = total + a.at(offset) * 2.0
    node = a.at(offsets[-1]).set(total + 1.0)
    for index, lower, upper, step in reversed(loops):
        node = build.loop(index, lower, upper, node, step=step)
    function = build.function("f", [a, b], node)
    assume(facts_of(function))
    found = answer(function, "opteron-x4", "1", **({"n": n, "m": m} if given_sizes else {}))
    rate, peak = found.data["attainable_g_per_s"], found.data["peak_g_per_s"]
    bandwidth, intensity = found.data["bandwidth_gb_s"], found.data["intensity_per_byte"]
    assert isinstance(rate, float)
    assert isinstance(peak, float)
    assert 0 < rate <= peak
    if isinstance(bandwidth, float) and isinstance(intensity, float):
        assert rate <= bandwidth * intensity * (1 + 1e-12)
    assert found.cycles_per_iteration is not None
    assert found.cycles_per_iteration > 0


def test_calls_are_named_as_not_counted(build: ModuleType) -> None:
    a = build.array("a", "f64", "n")
    body = a["i"].set(build.call("exp", a["i"]) * 2.0)
    function = build.function("f", [a], build.loop("i", 0, "n", body))
    assert "library calls count no flops: exp.f64" in answer(function, "opteron-x4").assumptions
