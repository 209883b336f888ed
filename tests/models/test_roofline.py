"""The Roofline model against the Roofline report, and its laws."""

from collections.abc import Callable
from types import ModuleType

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rooflint.facts import facts_of
from rooflint.machine import Machine, builtin_dir, find_machine
from rooflint.plugin_api.prediction import NotApplicable, Prediction
from rooflint_plugins.models.roofline.roof import attainable

positive = st.floats(1e-3, 1e6)


def machine(name: str) -> Machine:
    return find_machine(name, (builtin_dir(),))


Answer = Callable[..., Prediction]
Predict = Callable[..., Prediction | NotApplicable]

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


def test_triad_on_the_opteron(answer: Answer, build: ModuleType, nests: ModuleType) -> None:
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


def test_triad_on_cell_has_no_write_allocate(
    answer: Answer, build: ModuleType, nests: ModuleType
) -> None:
    # 2 flops over 24 B at 47.6 GB/s
    found = answer(nests.streaming(build)["triad"], "cell", "node", n=1 << 24)
    assert found.data["attainable_g_per_s"] == pytest.approx(47.6 / 12)
    assert found.bottleneck == "LS-MEM"


def test_the_keys_of_the_contract(answer: Answer, build: ModuleType, nests: ModuleType) -> None:
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
        "core_intensity_per_byte",
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


def test_much_work_per_byte_is_compute_bound(answer: Answer, build: ModuleType) -> None:
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


def test_indirect_accesses_state_both_ends(
    predict: Predict, build: ModuleType, nests: ModuleType
) -> None:
    sizes = {"n": 1 << 20, "row[i+1]-row[i]": 16}
    found = predict(nests.spmv(build), "opteron-x4", "node", 1, **sizes)
    assert isinstance(found, Prediction)
    # 2 flops over 12 B, or over 76 B when every x takes a line: 16.85 * 2 / 76 = 0.443
    assert found.data["attainable_g_per_s"] == pytest.approx(16.85 / 6)
    assert found.sentence.endswith(
        "down to 0.443 if every access to an unknown address takes a line"
    )


def test_unknown_places_of_a_link_that_does_not_limit_are_weighed_too(
    answer: Answer, build: ModuleType
) -> None:
    # a list: where the next element lies is not known, so no byte of memory is sure
    a = build.array("a", "f64", None)
    place = a.at(build.unknown("p->value", "i"))
    body = build.assign("s", build.carried("s") + place)
    function = build.function("f", [a], build.loop("i", 0, "n", body))
    found = answer(function, "cell", "1", n=1 << 20)
    # registers are fed 8 B a flop; if each value takes its line, memory gives 23.8 / 128 GFLOP/s
    assert found.bottleneck == "compute"
    assert found.sentence.endswith(
        "; down to 0.186 if every access to an unknown address takes a line"
    )
    # a store there: at best 8 B leave the registers, at worst a line of 128 B goes to memory
    function = build.function("f", [a], build.loop("i", 0, "n", place.set(build.number(0.0))))
    found = answer(function, "cell", "1", n=1 << 20)
    assert found.sentence.endswith(
        "; up to 128 B over LS-MEM if every access to an unknown address takes a line"
    )


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
    answer: Answer,
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


def test_figures_that_are_not_stated_say_how_they_came_about(
    answer: Answer, build: ModuleType, nests: ModuleType
) -> None:
    triad = nests.streaming(build)["triad"]
    # one of eight cores; one of two sockets; the file has figures for loads only
    assumptions = answer(triad, "opteron-x4", "1", n=1 << 24).assumptions
    assert "f64 peak of 9.2 GFLOP/s: stated 73.6 for 8 cores, 1 of them" in assumptions
    assert (
        "L3-MEM at 8.43 GB/s: at most the load figure for 8 cores, its share for 1 of 2 domains"
        " (the pattern has none of its own)"
    ) in assumptions
    # both stated as they are used
    loads = answer(nests.streaming(build)["dot"], "opteron-x4", "node", n=1 << 24).assumptions
    assert not any("peak of" in text or "GB/s:" in text for text in loads)


def test_links_without_a_rate_are_named(
    answer: Answer, build: ModuleType, nests: ModuleType
) -> None:
    found = answer(nests.streaming(build)["triad"], "opteron-x4", n=1 << 24)
    assert "no roof over REG-L1, L1-L2, L2-L3: opteron-x4 gives no data rate there" in (
        found.assumptions
    )


def test_traffic_is_said_to_be_a_lower_bound(
    answer: Answer, build: ModuleType, nests: ModuleType
) -> None:
    found = answer(nests.streaming(build)["triad"], "cell", n=1 << 24)
    assert found.assumptions[0] == "lines are replaced by age"
