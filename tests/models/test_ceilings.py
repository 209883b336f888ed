"""CeilingsModel of loops: derived heights, and verdicts with their evidence."""

import math
from pathlib import Path
from types import ModuleType

import pytest
from msgspec.structs import replace
from rooflint.core import Compiler, LazyPlan
from rooflint.facts import facts_of
from rooflint.ir import Call, Clause, Function, Region
from rooflint.machine import Machine, builtin_dir, find_machine
from rooflint.memory import FunctionTraffic, Rates
from rooflint.plugin_api.hookspecs import Context
from rooflint.plugin_api.prediction import Json, NotApplicable, Prediction
from rooflint.scenario.resolution import resolve
from rooflint.scenario.sizes import SizeLayer
from rooflint_plugins.models.ceilings import CeilingsModel
from rooflint_plugins.models.ceilings.ladders import compute_ladder, memory_ladder
from rooflint_plugins.models.roofline import Roofline

FAST = Compiler().fast


def machine(name: str) -> Machine:
    return find_machine(name, (builtin_dir(),))


def predict(
    function: Function,
    name: str,
    cores: str = "1",
    compiler: Compiler | None = None,
    kernel: int = -1,
    **sizes: int,
) -> Prediction:
    target = machine(name)
    count = target.resolve_cores(cores)
    rates = Rates(target, count)
    arrays = {array.name: array for array in function.arrays}
    facts = facts_of(function)
    resolved = resolve(facts, function, (SizeLayer("command line", sizes),))
    own = facts[kernel]
    moved = FunctionTraffic([own], arrays, resolved, rates.machine.line_bytes).traffic(0, rates)
    core = LazyPlan(function, own, target, compiler or Compiler())
    context = Context(function, own, moved, target, count, resolved, rates, core=core)
    roof = Roofline().predict(own.kernel, context)
    assert isinstance(roof, Prediction)
    found = CeilingsModel().predict(own.kernel, context._replace(results={"roofline": roof}))
    assert isinstance(found, Prediction)
    return found


def entries(found: Prediction) -> list[dict[str, Json]]:
    listed = found.data["ceilings"]
    assert isinstance(listed, list)
    return [entry for entry in listed if isinstance(entry, dict)]


def entry(found: Prediction, name: str, family: str = "") -> dict[str, Json]:
    (match,) = [e for e in entries(found) if e["name"] == name and family in ("", e["family"])]
    return match


def broken(found: Prediction) -> set[tuple[object, object]]:
    return {(e["family"], e["name"]) for e in entries(found) if e["broken"]}


def steps(found: Prediction) -> list[object]:
    listed = found.data["path"]
    assert isinstance(listed, list)
    return [step["name"] for step in listed if isinstance(step, dict)]


# --- derived heights


def test_derived_compute_ceilings_of_a_modern_socket() -> None:
    # Xeon Gold 6148, one socket of 20 cores at 2.4 GHz: an add every 4 cycles 12; two pipes
    # 20 * 2.4 * 2 = 96; eight lanes 768; fused multiply-adds 1536 GFLOP/s
    found = compute_ladder(machine("skylake-sp-6148"), "f64", "flop", 20)
    assert found is not None
    height, lines = found.floor, []
    for rung in found.rungs:
        height *= rung.factor
        lines.append((rung.name, round(height, 6), rung.origin))
    assert lines == [
        ("tlp", 12.0, "derived"),
        ("ilp", 96.0, "derived"),
        ("simd", 768.0, "derived"),
        ("fma", 1536.0, "derived"),
    ]


def test_stated_ceilings_give_way_to_derived_ones_for_another_type() -> None:
    # Cell in single precision: 16 SPEs * 3.2 GHz / 6 cycles; one pipe; four lanes; fused
    found = compute_ladder(machine("cell"), "f32", "flop", 16)
    assert found is not None
    assert [rung.name for rung in found.rungs] == ["tlp", "ilp", "simd", "fma"]
    assert found.floor == pytest.approx(16 * 3.2 / 6)
    assert [rung.factor for rung in found.rungs] == pytest.approx([1, 6, 4, 2])
    assert found.top == pytest.approx(16 * 3.2 * 8)


def test_integer_work_has_no_balance() -> None:
    # generic-2level: add.int 1 cycle on two ports; 32-byte registers hold eight i32
    found = compute_ladder(machine("generic-2level"), "i32", "iop", 4)
    assert found is not None
    assert "fma" not in [rung.name for rung in found.rungs]


def test_derived_memory_ceilings() -> None:
    # both sockets of the Xeon Gold: without affinity half of the bandwidth. 40 cores with 12 fill
    # buffers of 64 B over 90 ns could draw 341 GB/s, more than there is: no prefetch ceiling
    target = machine("skylake-sp-6148")
    found = memory_ladder(Rates(target, 40), "load", 40)
    assert found is not None
    assert [(rung.name, rung.factor) for rung in found.rungs] == [
        ("unit-stride", 1.0),
        ("affinity", 2.0),
    ]
    assert found.top == pytest.approx(2 * 117.8)
    # one core: 12 * 64 B / 90 ns = 8.53 of the 14.32 GB/s that it gets with prefetch
    alone = memory_ladder(Rates(target, 1), "load", 1)
    assert alone is not None
    assert alone.rungs[-1].name == "sw-prefetch"
    assert alone.floor == pytest.approx(12 * 64 / 90)
    assert alone.top == pytest.approx(14.32)


def test_stated_memory_ceilings_shrink_with_the_cores() -> None:
    # half of the Opteron's cores: half of each line of Figure 4b
    found = memory_ladder(Rates(machine("opteron-x4"), 4), "load", 4)
    assert found is not None
    assert found.floor == pytest.approx(7.0 / 2)
    assert found.top == pytest.approx(16.85 / 2)


# --- verdicts


def test_a_sum_waits_for_itself(build: ModuleType, nests: ModuleType) -> None:
    # generic-2level, one core at 2 GHz, all four of them in the roof. The chain: an add every 4
    # cycles, 0.5 GFLOP/s; two pipes 4; four lanes 16; fused 32; four cores 128.
    found = predict(nests.streaming(build)["sum"], "generic-2level", n=64)
    assert entry(found, "ilp")["broken"] is False
    assert "4 cy per iteration" in str(entry(found, "ilp")["evidence"])
    assert "reassociation" in str(entry(found, "simd")["evidence"])
    assert entry(found, "ilp")["g_per_s"] == pytest.approx(4.0)
    assert entry(found, "simd")["g_per_s"] == pytest.approx(16.0)
    assert entry(found, "fma")["g_per_s"] == pytest.approx(32.0)
    assert entry(found, "tlp", "compute")["g_per_s"] == pytest.approx(128.0)
    assert found.data["base_g_per_s"] == pytest.approx(0.5)


def test_fast_math_breaks_the_chain(build: ModuleType) -> None:
    # four vectors in flight make 16 partial sums: 4 cycles for 16 iterations. Two pipes with a
    # latency of 4 would take eight vectors, so half of the ilp ceiling is missing:
    # 0.25 add/cy * 4 of 8 * 4 lanes * 2 GHz = 8 GFLOP/s
    a = build.array("a", "f64", 1024)
    loop = build.loop("i", 0, 1024, build.assign("t", build.carried("t") + a["i"]))
    cached = build.function("f", [a], build.loop("k", 0, 100000, loop))
    found = predict(cached, "generic-2level", compiler=FAST)
    assert ("compute", "simd") in broken(found)
    assert "0.25 cy per iteration" in str(entry(found, "ilp")["evidence"])
    assert found.data["base_g_per_s"] == pytest.approx(8.0)
    assert entry(found, "fma")["evidence"] == "1 add: at most 50% of the peak"


def test_without_optimisation_nothing_is_vectorised(build: ModuleType, nests: ModuleType) -> None:
    plain = Compiler(level=0)
    found = predict(nests.streaming(build)["triad"], "generic-2level", compiler=plain, n=64)
    assert ("compute", "simd") not in broken(found)


def test_triad_is_balanced_by_nature(build: ModuleType, nests: ModuleType) -> None:
    # adds and multiplies pair: on the Opteron the balance line lies right above the broken ones
    found = predict(nests.streaming(build)["triad"], "opteron-x4", "node", n=1 << 24)
    assert broken(found) >= {("compute", name) for name in ("tlp", "ilp", "simd", "balance")}
    # 2 flop over 32 B at 13.9 GB/s without software prefetch, 16.85 with
    assert found.data["base_g_per_s"] == pytest.approx(13.9 / 16)
    assert steps(found) == ["sw-prefetch"]
    assert found.data["region"] == "memory"
    assert found.sentence.startswith("×1.21 below the memory-bound roof of 1.05 GFLOP/s")


def test_figures_that_a_paper_rounds_do_not_unbalance_a_loop(
    build: ModuleType, nests: ModuleType
) -> None:
    # 74.67 / 37.33 = 2.00027 is stated; one add and one multiply reach 2
    found = predict(nests.streaming(build)["triad"], "xeon-clovertown", "node", n=1 << 24)
    assert ("compute", "balance") in broken(found)
    assert "balance" not in steps(found)


def test_partly_balanced(build: ModuleType, nests: ModuleType) -> None:
    # 7-point stencil: 6 adds and 2 multiplies on pipes of their own reach 8 / 12 of the peak
    found = predict(nests.heat3d(build), "opteron-x4", "node", n=16)
    balance = entry(found, "balance")
    assert balance["broken"] is False
    assert balance["evidence"] == "6 add, 2 mul: at most 67% of the peak"


ONE_ADDER = """
schema: 1
name: one-adder
extends: generic-2level
sources: {default: "round figures: adds on one of the two ports only, as on Haswell"}
core: {operations: {add: {latency_cy: 4, ports: [1]}}}
"""


def test_adds_alone_on_a_single_add_pipe(build: ModuleType, tmp_path: Path) -> None:
    # two ports fuse, one adds: 4 lanes * 2 flop * 2 ports = 16 flop/cy at the peak, 4 with adds
    # alone. 2 GHz, one core: 8 of 32 GFLOP/s
    file = tmp_path / "one-adder.yaml"
    file.write_text(ONE_ADDER, encoding="utf-8")
    a, s = build.array("a", "f64", 512), build.scalar("s")
    loop = build.loop("i", 0, 512, a["i"].set(((a["i"] + s) + build.scalar("t")) + 1.0))
    cached = build.function("f", [a], build.loop("k", 0, 100000, loop))
    found = predict(cached, str(file))
    assert entry(found, "fma")["evidence"] == "3 add: at most 25% of the peak"
    assert entry(found, "simd")["g_per_s"] == pytest.approx(8.0)
    assert entry(found, "fma")["g_per_s"] == pytest.approx(32.0)
    assert found.data["compute_g_per_s"] == pytest.approx(8.0)


def test_idle_cores_are_a_ceiling_of_both_kinds(build: ModuleType, nests: ModuleType) -> None:
    # one core draws 10 of 20 GB/s: 2 flop over 32 B at 10 GB/s, at 20 with all four cores
    found = predict(nests.streaming(build)["triad"], "generic-2level", n=1 << 20)
    assert {e["family"] for e in entries(found) if e["name"] == "tlp"} == {"compute", "memory"}
    assert entry(found, "tlp", "memory")["evidence"] == "runs on 1 of 4 cores"
    assert found.data["base_g_per_s"] == pytest.approx(10 / 16)
    assert found.data["roof_g_per_s"] == pytest.approx(20 / 16)
    assert steps(found) == ["tlp"]


def test_a_recurrence_gets_no_threads(build: ModuleType) -> None:
    x = build.array("x", "f64", "n")
    body = x["i"].set(x["i - 1"] * build.scalar("s"))
    found = predict(
        build.function("f", [x], build.loop("i", 1, "n", body)), "generic-2level", n=1 << 20
    )
    assert "tlp" not in steps(found)
    assert entry(found, "tlp")["evidence"] == "no loop of the nest is known to be independent"
    assert entry(found, "ilp")["broken"] is False


def test_large_strides_miss_unit_stride_and_pages(build: ModuleType) -> None:
    # every 8192nd double: a new page each time, and always the same controller
    a = build.array("a", "f64", "n")
    body = build.assign("t", build.carried("t") + a["i"])
    loop = build.loop("i", 0, "n", body, step=8192)
    found = predict(build.function("f", [a], loop), "generic-2level", "node", n=1 << 26)
    missed = {"unit-stride", "page-balance", "controller-balance"}
    assert not missed & {name for _, name in broken(found)}
    assert entry(found, "unit-stride")["evidence"] == "a moves 65536 B per iteration"


def test_prefetching_is_seen(build: ModuleType) -> None:
    a, b = build.array("a", "f64", "n"), build.array("b", "f64", "n")
    ahead = build.condition(build.call("__builtin_prefetch", build.scalar("p", "ptr"), kind="i32"))
    function = build.function("f", [a, b], build.loop("i", 0, "n", ahead, a["i"].set(b["i"] * 2.0)))
    found = predict(function, "opteron-x4", "node", n=1 << 24)
    assert entry(found, "sw-prefetch")["evidence"] == "the loop prefetches"
    assert ("memory", "sw-prefetch") in broken(found)


def parallel(build: ModuleType, *before: str) -> Function:
    """a[i] = 2 b[i] by all threads, after loops that set ``a`` and ``b`` (p: in parallel)."""
    arrays = {name: build.array(name, "f64", "n") for name in "ab"}
    nodes = []
    for text in before:
        name, _, how = text.partition(" ")
        loop = build.loop("i", 0, "n", arrays[name]["i"].set(build.number(0.0)))
        nodes.append(build.region("parallel for", loop) if how == "p" else loop)
    body = arrays["a"]["i"].set(arrays["b"]["i"] * 2.0)
    nodes.append(build.region("parallel for", build.loop("i", 0, "n", body)))
    function: Function = build.function("f", arrays.values(), *nodes)
    return function


def test_first_touch_by_one_thread_misses_affinity(build: ModuleType) -> None:
    found = predict(parallel(build, "b"), "opteron-x4", "node", n=1 << 24)
    assert entry(found, "affinity")["evidence"] == "b is first written by one thread"
    assert ("memory", "affinity") not in broken(found)


def test_clearing_an_array_is_a_first_touch(build: ModuleType) -> None:
    plain = parallel(build)
    cleared = replace(plain, body=(Call("memset", ("a",)), *plain.body))
    found = predict(cleared, "opteron-x4", "node", n=1 << 24)
    assert entry(found, "affinity")["evidence"] == "a is first written by one thread"


def test_first_touch_by_all_threads_has_affinity(build: ModuleType) -> None:
    found = predict(parallel(build, "a p", "b p"), "opteron-x4", "node", n=1 << 24)
    assert entry(found, "affinity")["evidence"] == "a, b: first written by all threads"
    unseen = predict(parallel(build), "opteron-x4", "node", n=1 << 24)
    assert ("memory", "affinity") in broken(unseen)
    assert "assumed to be by" in str(entry(unseen, "affinity")["evidence"])
    assert any("first touch is not visible" in said for said in unseen.assumptions)
    # one socket has one memory
    socket = predict(parallel(build), "opteron-x4", "socket", n=1 << 24)
    assert entry(socket, "affinity")["evidence"] == "the active cores share one memory"


def test_the_snoop_filter_holds_what_the_caches_hold(build: ModuleType, nests: ModuleType) -> None:
    # four caches of 4 MiB: three arrays of 2**19 doubles are 12 MiB, of 2**20 24 MiB
    small = predict(nests.streaming(build)["triad"], "xeon-clovertown", "node", n=1 << 19)
    large = predict(nests.streaming(build)["triad"], "xeon-clovertown", "node", n=1 << 20)
    assert ("memory", "snoop-filter") in broken(small)
    assert steps(large) == ["snoop-filter"]
    # 2 flop over 32 B: 5.9 and 11.2 GB/s
    assert large.data["base_g_per_s"] == pytest.approx(5.9 / 16)
    assert large.data["roof_g_per_s"] == pytest.approx(11.2 / 16)


def triangle(build: ModuleType, *clauses: Clause) -> Function:
    a = build.array("a", "f64", "n", "n")
    inner = build.loop("j", 0, "i", a["i", "j"].set(a["i", "j"] * 2.0 + 1.0))
    region = Region("parallel for", clauses, (build.loop("i", 0, "n", inner),))
    return build.function("f", [a], region)


def test_a_triangle_in_equal_pieces_is_out_of_balance(build: ModuleType) -> None:
    # of 4 threads the last has (2 * 4 - 1) / 4 = 1.75 times the mean
    found = predict(triangle(build), "generic-2level", "4", n=64)
    assert entry(found, "load-balance")["broken"] is False
    assert "1.75 x the mean" in str(entry(found, "load-balance")["evidence"])
    dynamic = predict(triangle(build, Clause("schedule", "dynamic")), "generic-2level", "4", n=64)
    assert "load-balance" not in {e["name"] for e in entries(dynamic)}


def test_the_mix_of_instructions_on_the_t2(build: ModuleType, nests: ModuleType) -> None:
    # an add among two loads, a store and the loop's own instructions: less than a quarter
    found = predict(nests.streaming(build)["add"], "ultrasparc-t2plus", "node", n=1 << 10)
    assert ("compute", "fp-50-percent") not in broken(found)
    assert "% of the instructions are floating-point" in str(
        entry(found, "fp-50-percent")["evidence"]
    )


def test_copies_have_memory_ceilings_only(build: ModuleType, nests: ModuleType) -> None:
    found = predict(nests.streaming(build)["copy"], "opteron-x4", "node", n=1 << 24)
    assert {e["family"] for e in entries(found)} == {"memory"}
    assert found.data["metric"] == "byte"
    assert found.data["base_g_per_s"] == pytest.approx(13.9)
    assert found.headline == "13.9 of 16.9 GB/s"


def test_the_keys_of_the_contract(build: ModuleType, nests: ModuleType) -> None:
    found = predict(nests.jacobi2d(build), "opteron-x2", "node", n=5000)
    assert list(found.data)[:5] == ["region", "base_g_per_s", "ceilings", "path", "skipped"]
    for each in entries(found):
        assert list(each)[:6] == ["name", "family", "g_per_s", "broken", "evidence", "origin"]
        assert each["origin"] in ("stated", "derived")
        assert each["evidence"]
    listed = found.data["path"]
    assert isinstance(listed, list)
    assert all(list(step) == ["name", "g_per_s", "factor"] for step in listed)  # type: ignore[arg-type]


def test_no_work_no_ceilings(build: ModuleType) -> None:
    body = build.assign("s", build.call("rand", kind="i32"))
    function = build.function("f", [], build.loop("i", 0, "n", body))
    (facts,) = facts_of(function)
    target = machine("opteron-x4")
    rates = Rates(target, 1)
    resolved = resolve((facts,), function, (SizeLayer("command line", {"n": 8}),))
    moved = FunctionTraffic([facts], {}, resolved, rates.machine.line_bytes).traffic(0, rates)
    roof = Prediction("roofline", "", "", "", data={"metric": "flop"})
    context = Context(function, facts, moved, target, 1, resolved, rates, {"roofline": roof})
    assert CeilingsModel().predict(facts.kernel, context) == NotApplicable("no work to count")


@pytest.mark.parametrize("file", sorted(builtin_dir().glob("*.yaml")), ids=lambda f: f.stem)
def test_every_machine_gives_an_answer_under_its_roof(
    file: Path, build: ModuleType, nests: ModuleType
) -> None:
    target = find_machine(str(file), (builtin_dir(),))
    if target.peak_gops("f64", 1) is None or target.bandwidth_gb_s("MEM", "load", 1) is None:
        pytest.skip("a file for the hybrid estimator alone")
    for cores in ("1", "node"):
        for kernel in (nests.streaming(build)["dot"], nests.heat3d(build), nests.gemm(build)):
            found = predict(kernel, target.name, cores)
            roof, base = found.data["roof_g_per_s"], found.data["base_g_per_s"]
            assert isinstance(roof, float)
            assert isinstance(base, float)
            assert 0 < base <= roof * (1 + 1e-9)
            path = found.data["path"]
            assert isinstance(path, list)
            product = math.prod(s["factor"] for s in path if isinstance(s, dict))  # type: ignore[misc]
            assert product == pytest.approx(roof / base, rel=1e-6)
