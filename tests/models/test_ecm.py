"""The ECM models on whole kernels: the Jacobi example from its loop to n_S and MLUP/s."""

import subprocess
import sys
from collections.abc import Iterable
from types import ModuleType

import pytest
from msgspec.structs import replace
from rooflint.core import Compiler, LazyPlan
from rooflint.facts import facts_of, space_of
from rooflint.ir import Function
from rooflint.machine import BandwidthEntry, Machine, builtin_dir, find_machine
from rooflint.memory import KernelTransfers, LinkTraffic, Rates, Traffic
from rooflint.memory.traffic import requested_traffic
from rooflint.plugin_api.hookspecs import Context, Model
from rooflint.plugin_api.prediction import NotApplicable, Prediction
from rooflint.scenario.resolution import resolve
from rooflint.scenario.sizes import SizeLayer
from rooflint_plugins.models.ecm.model import Ecm, EcmCpu, EcmData
from rooflint_plugins.models.ecm.roofline_core import RooflineCore

Lines = Iterable[tuple[float, float, float]]
"""Per link beyond the nearest: lines loaded, write-allocated and evicted per line of work."""


def machine(name: str, *bandwidth: BandwidthEntry) -> Machine:
    found = find_machine(name, (builtin_dir(),))
    return replace(found, memory=found.memory._replace(bandwidth=bandwidth)) if bandwidth else found


def context(
    function: Function,
    target: Machine,
    lines: Lines,
    iterations: int = 8,
    cores: int = 1,
    compiler: Compiler | None = None,
) -> Context:
    """The last kernel with traffic as given: so many lines for ``iterations`` of its loop, whose
    executions are long."""
    rates = Rates(target, cores)
    facts = facts_of(function)
    sizes = resolve(facts, function, (SizeLayer("command line", {"n": 4000}),))
    own = facts[-1]
    near, pattern = requested_traffic(own, target.links[0])
    per_line = target.line_bytes / iterations
    far = [
        LinkTraffic(link, per_line * load, per_line * allocate, per_line * evict)
        for link, (load, allocate, evict) in zip(target.links[1:], lines, strict=True)
    ]
    space = space_of(own.kernel.loops, sizes.values)
    moved = Traffic(pattern, space, tuple, lambda _: KernelTransfers((near, *far)), lambda _: {})
    core = LazyPlan(function, own, target, compiler or Compiler())
    return Context(function, own, moved, target, cores, sizes, rates, core=core)


def answer(model: Model, given: Context) -> Prediction:
    found = model.predict(given.facts.kernel, given)
    assert isinstance(found, Prediction), found
    return found


def number(found: Prediction, key: str) -> float:
    value = found.data[key]
    assert isinstance(value, int | float)
    return value


def by_name(found: Prediction, key: str) -> dict[str, float]:
    value = found.data[key]
    assert isinstance(value, dict)
    return {name: each for name, each in value.items() if isinstance(each, int | float)}


# Lines on each link where the rows of a stay in L1, in L2, in L3, nowhere: 2 (a, write-allocate of
# b) + 1 evicted, or two more of a. The cycles are those of 40 GB/s; the slides' MLUP/s were made
# with 40.5 GB/s, so they agree to 0.7 %. n_S is the ratio rounded up.
IN, OUT = (1, 1, 1), (3, 1, 1)
ROWS = [
    ("L1", (IN, IN, IN), [8, 14, 20, 33], 659, 3),
    ("L2", (OUT, IN, IN), [8, 18, 24, 37], 587, 3),
    ("L3", (OUT, OUT, IN), [8, 18, 28, 41], 529, 4),
    ("none", (OUT, OUT, OUT), [8, 18, 28, 50], 438, 3),
]


@pytest.mark.parametrize(("rows_in", "lines", "levels", "mlup_s", "n_s"), ROWS)
def test_jacobi_on_sandy_bridge(
    build: ModuleType,
    nests: ModuleType,
    rows_in: str,
    lines: Lines,
    levels: list[int],
    mlup_s: float,
    n_s: int,
) -> None:
    # G. Hager, J. Hammer: The Roofline and ECM models (tutorial slides, 2015), 2D Jacobi, AVX
    target = machine("sandybridge-ep-e5-2680", BandwidthEntry("MEM", "copy", 8, 40.0))
    found = answer(Ecm(), context(nests.jacobi2d(build), target, lines))
    assert number(found, "T_OL") == pytest.approx(6)
    assert number(found, "T_nOL") == pytest.approx(8)
    assert [round(value) for value in by_name(found, "T_ECM").values()] == levels
    assert found.data["n_S"] == n_s
    assert found.cycles_per_iteration is not None
    assert 2700 / found.cycles_per_iteration == pytest.approx(mlup_s, rel=0.007)
    assert found.bottleneck == "L3-MEM"


def test_jacobi_as_the_literature_writes_it(build: ModuleType, nests: ModuleType) -> None:
    target = machine("sandybridge-ep-e5-2680", BandwidthEntry("MEM", "copy", 8, 40.0))
    found = answer(Ecm(), context(nests.jacobi2d(build), target, (IN, IN, IN)))
    # 3 lines x 64 B x 2.7 GHz / 40 GB/s = 12.96
    assert found.data["shorthand"] == "{6 || 8 | 6 | 6 | 13}"
    assert by_name(found, "links") == pytest.approx({"L1-L2": 6, "L2-L3": 6, "L3-MEM": 12.96})
    assert found.headline == "33 cy/CL"


def test_memory_takes_fewer_cycles_at_a_lower_clock(build: ModuleType, nests: ModuleType) -> None:
    # 12.96 cy at 2.7 GHz are 4.8 ns: 6.48 cy at 1.35 GHz; caches run at the core's clock
    target = machine("sandybridge-ep-e5-2680", BandwidthEntry("MEM", "copy", 8, 40.0))
    slow = replace(target, clock_ghz=1.35)
    vectors = replace(target, simd_clock_ghz=1.35)
    for each in (slow, vectors):
        found = answer(Ecm(), context(nests.jacobi2d(build), each, (IN, IN, IN)))
        assert by_name(found, "links") == pytest.approx({"L1-L2": 6, "L2-L3": 6, "L3-MEM": 6.48})
        assert found.data["clock_ghz"] == 1.35
        # ceil((8 + 6 + 6 + 6.48) / 6.48): it takes more of the slower cores to saturate memory
        assert found.data["n_S"] == 5
    # scalar code has the other clock
    plain = Compiler(vectorise=False)
    found = answer(Ecm(), context(nests.jacobi2d(build), vectors, (IN, IN, IN), compiler=plain))
    assert found.data["clock_ghz"] == 2.7


def test_all_cores_share_the_memory_of_their_domain(build: ModuleType, nests: ModuleType) -> None:
    target = machine("sandybridge-ep-e5-2680", BandwidthEntry("MEM", "copy", 8, 40.0))
    one, socket, node = (
        answer(Ecm(), context(nests.jacobi2d(build), target, (IN, IN, IN), cores=cores))
        for cores in (1, 8, 16)
    )
    assert one.cycles_per_iteration == pytest.approx(32.96 / 8)
    assert socket.cycles_per_iteration == pytest.approx(12.96 / 8)
    assert node.cycles_per_iteration == pytest.approx(12.96 / 16)
    scaling = one.data["cy_per_line_by_cores"]
    assert isinstance(scaling, list)
    assert scaling[:4] == pytest.approx([32.96, 16.48, 12.96, 12.96])
    assert len(scaling) == 16


def test_latency_bound_loops_need_not_care_for_the_data(
    build: ModuleType, nests: ModuleType
) -> None:
    # the sum of a vector on Sandy Bridge: 8 x 3 cy of dependent adds beside 4 + 2 + 2 + 4.3 cy
    target = machine("sandybridge-ep-e5-2680", BandwidthEntry("MEM", "load", 8, 40.0))
    given = context(nests.streaming(build)["sum"], target, ((1, 0, 0),) * 3)
    found = answer(Ecm(), given)
    assert by_name(found, "T_ECM") == dict.fromkeys(("L1", "L2", "L3", "MEM"), 24.0)
    assert found.bottleneck == "core"
    assert "latency of the loop-carried path" in found.sentence
    # reordered: {2 || 2 | 2 | 2 | 4.3}
    fast = answer(
        Ecm(), context(given.function, target, ((1, 0, 0),) * 3, compiler=Compiler().fast)
    )
    assert fast.data["shorthand"] == "{2 || 2 | 2 | 2 | 4.32}"


def test_overlapping_hierarchies_take_the_longest_part(
    build: ModuleType, nests: ModuleType
) -> None:
    # copy on Zen 2: 2 lines up, 1 down; L2 full duplex 2 cy a line: 4; L3 8 cy; memory 13.02 cy
    # at 34.65 GB/s, and 2 x 0.585 + 2.57 cy of latency (kerncraft 0.8.18: 16.76 cy/CL)
    target = machine("zen2-7452", BandwidthEntry("MEM", "copy", 8, 34.65))
    found = answer(Ecm(), context(nests.streaming(build)["copy"], target, (IN, IN, IN)))
    assert by_name(found, "links")["L3-MEM"] == pytest.approx(13.02 + 3.74, abs=0.01)
    assert by_name(found, "T_ECM")["MEM"] == pytest.approx(16.76, abs=0.01)
    assert found.data["n_S"] == 2


def test_without_write_allocates_less_moves(build: ModuleType, nests: ModuleType) -> None:
    target = machine("sandybridge-ep-e5-2680", BandwidthEntry("MEM", "copy", 8, 40.0))
    copy = nests.streaming(build)["copy"]
    with_it = answer(EcmData(), context(copy, target, (IN, IN, IN)))
    evaded = answer(EcmData(), context(copy, target, (IN, IN, (1, 0, 1))))
    assert by_name(with_it, "links")["L3-MEM"] == pytest.approx(12.96)
    assert by_name(evaded, "links")["L3-MEM"] == pytest.approx(8.64)


def test_the_halves_add_up_to_the_whole(build: ModuleType, nests: ModuleType) -> None:
    target = machine("sandybridge-ep-e5-2680", BandwidthEntry("MEM", "copy", 8, 40.0))
    given = context(nests.jacobi2d(build), target, (IN, IN, IN))
    whole, data, cpu = (answer(model, given) for model in (Ecm(), EcmData(), EcmCpu()))
    assert data.cycles_per_iteration == pytest.approx((6 + 6 + 12.96) / 8)
    assert cpu.cycles_per_iteration == pytest.approx(1.0)
    assert "T_OL" not in data.data
    for key in ("T_OL", "T_nOL", "core"):
        assert cpu.data[key] == whole.data[key]
    assert data.data["links"] == whole.data["links"]


def test_roofline_under_the_cores_own_roof(build: ModuleType, nests: ModuleType) -> None:
    # the slides' table: 4 flop over 24 B at 17.40 GB/s (copy on one core) = 2.90 GFLOP/s
    target = machine("sandybridge-ep-e5-2680", BandwidthEntry("MEM", "copy", 1, 17.4))
    found = answer(RooflineCore(), context(nests.jacobi2d(build), target, (IN, IN, IN)))
    assert found.headline == "2.9 GFLOP/s"
    assert found.bottleneck == "L3-MEM"
    # one cycle an iteration: 2.7 GHz x 4 flop
    assert number(found, "core_g_per_s") == pytest.approx(10.8)
    bound = answer(RooflineCore(), context(nests.streaming(build)["sum"], target, ((0, 0, 0),) * 3))
    assert bound.bottleneck == "core"
    assert number(bound, "attainable_g_per_s") == pytest.approx(2.7 / 3)


def test_the_keys_of_the_contract(build: ModuleType, nests: ModuleType) -> None:
    target = machine("sandybridge-ep-e5-2680")
    found = answer(Ecm(), context(nests.jacobi2d(build), target, (IN, IN, IN)))
    contract = {"unit", "T_OL", "T_nOL", "links", "T_ECM", "shorthand", "n_S", "core_source"}
    assert contract <= found.data.keys()
    assert found.data["unit"] == "cy/CL"
    assert found.data["core_source"] == "model"
    assert list(by_name(found, "T_ECM")) == ["L1", "L2", "L3", "MEM"]


def test_a_missing_rate_is_named(build: ModuleType, nests: ModuleType) -> None:
    target = machine("sandybridge-ep-e5-2680")
    caches = tuple(cache._replace(cy_per_line_up=None) for cache in target.caches)
    memory = target.memory._replace(bandwidth=(BandwidthEntry("MEM", "copy", 8, 40.0),))
    target = replace(target, caches=caches, memory=memory)
    given = context(nests.jacobi2d(build), target, (IN, IN, IN))
    found = Ecm().predict(given.facts.kernel, given)
    reason = "machine sandybridge-ep-e5-2680 gives no rate of L1-L2 (caches.cy_per_line_up)"
    assert found == NotApplicable(reason)


def test_single_precision_has_sixteen_iterations_a_line(build: ModuleType) -> None:
    a, b = build.array("a", "f32", "n"), build.array("b", "f32", "n")
    function = build.function("f", [a, b], build.loop("i", 0, "n", a["i"].set(b["i"])))
    target = machine("sandybridge-ep-e5-2680")
    found = answer(Ecm(), context(function, target, (IN, IN, IN), iterations=16))
    assert found.data["iterations_per_line"] == 16
    # 2 vectors of 8: stores 2 x 2 cy, loads 2 x 2 / 2
    assert (found.data["T_OL"], found.data["T_nOL"]) == (4.0, 2.0)


def test_nothing_heavy_is_imported() -> None:
    program = (
        "import sys, rooflint_plugins.models.ecm;"
        "print(sorted({'sympy', 'numpy'} & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout.strip() == "[]"


def test_a_run_without_core_models_does_not_import_the_planner() -> None:
    program = (
        "import sys; from rooflint.registry import load_registry; load_registry();"
        "import rooflint.pipeline; print('rooflint.core.plan' in sys.modules,"
        " 'rooflint_plugins.models.ecm' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout.strip() == "False False"


@pytest.mark.parametrize(
    ("cores", "limit", "saturated"),
    [(1, "core", False), (5, "core", False), (6, "L3-MEM", True), (7, "L3-MEM", True)],
)
def test_memory_is_saturated_from_exactly_n_s_cores_on(
    build: ModuleType, nests: ModuleType, cores: int, limit: str, saturated: bool
) -> None:
    # the sum of a vector on Sandy Bridge takes 8 x 3 cy of dependent adds a line, and memory
    # 64 B x 2.7 GHz / 43.2 GB/s = 4 cy of it: n_S = 24 / 4 = 6, and no rounding
    target = machine("sandybridge-ep-e5-2680", BandwidthEntry("MEM", "load", 8, 43.2))
    found = answer(
        Ecm(), context(nests.streaming(build)["sum"], target, ((1, 0, 0),) * 3, cores=cores)
    )
    assert found.data["n_S"] == 6
    assert found.bottleneck == limit
    assert ("saturated" in found.sentence) is saturated
    # 24 cy shared by the cores until the 4 cy of memory are what is left
    assert found.cycles_per_iteration == pytest.approx(max(24 / cores, 4) / 8)
