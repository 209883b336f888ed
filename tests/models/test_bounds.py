"""The bounds model of nests made by hand: what it lowers them to, what it says, and why."""

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import jsonschema
import pytest
import rooflint.render
from msgspec.structs import replace
from rooflint.core import Compiler, LazyPlan
from rooflint.facts import facts_of
from rooflint.ir import Function
from rooflint.machine import builtin_dir, find_machine
from rooflint.memory import FunctionTraffic, Rates
from rooflint.plot.scene import Curve
from rooflint.plugin_api.hookspecs import Context
from rooflint.plugin_api.prediction import Prediction
from rooflint.scenario.resolution import resolve
from rooflint.scenario.sizes import SizeLayer
from rooflint_plugins.models.bounds import parts
from rooflint_plugins.models.bounds.answer import BoundsAnswer, answer_of
from rooflint_plugins.models.bounds.lines import LineWalk
from rooflint_plugins.models.bounds.model import Bounds
from rooflint_plugins.models.bounds.parts import Form, Need, Op, OpStretch, Resource, ScheduledCore
from rooflint_plugins.models.bounds.periods import steady
from rooflint_plugins.models.bounds.prebounds import prebounds
from rooflint_plugins.models.bounds.sensitivity import sensitivity

from tests.sandy_bridge import ADD, sandy_bridge

SNB = "sandybridge-ep-e5-2680"
HSW = "haswell-ep-e5-2695v3"
PLAIN = Compiler(assumed=False)
SCALAR = PLAIN._replace(vectorise=False)


def context_of(
    function: Function,
    machine: str = SNB,
    compiler: Compiler = PLAIN,
    core: dict[str, object] | None = None,
    **sizes: int,
) -> Context:
    target = find_machine(machine, (builtin_dir(),))
    if core:
        assert target.core is not None
        target = replace(target, core=target.core._replace(**core))  # type: ignore[arg-type]
    rates = Rates(target, 1)
    arrays = {array.name: array for array in function.arrays}
    facts = facts_of(function)
    given = SizeLayer("command line", sizes)
    resolved = resolve(facts, function, (given,))
    own = facts[-1]
    traffic = FunctionTraffic([own], arrays, resolved, target.line_bytes).traffic(0, rates)
    lazy = LazyPlan(function, own, target, compiler)
    return Context(function, own, traffic, target, 1, resolved, rates, {}, lazy)


def answer(function: Function, **given: object) -> BoundsAnswer:
    found = answer_of(context_of(function, **given))  # type: ignore[arg-type]
    assert found is not None
    return found


def said(function: Function, **given: object) -> Prediction:
    context = context_of(function, **given)  # type: ignore[arg-type]
    found = Bounds().predict(context.facts.kernel, context)
    assert isinstance(found, Prediction)
    return found


@pytest.fixture
def dot(build: ModuleType) -> Function:
    """s += x[i] * y[i], again and again, so that small arrays stay in L1."""
    x, y = build.array("x", "f64", "n"), build.array("y", "f64", "n")
    total = build.assign("s", build.carried("s") + x["i"] * y["i"])
    return build.function("dot", [x, y], build.loop("t", 0, 10_000, build.loop("i", 0, "n", total)))


@pytest.fixture
def daxpy(build: ModuleType) -> Function:
    x, y = build.array("x", "f64", "n"), build.array("y", "f64", "n")
    body = y["i"].set(y["i"] + build.scalar("a") * x["i"])
    return build.function("daxpy", [x, y], build.loop("i", 0, "n", body))


def test_a_sum_in_order_waits_for_its_adds(dot: Function) -> None:
    # one add in flight: 3 cycles for 2 flops on Sandy Bridge
    found = said(dot, n=1000)
    assert found.data["flop_per_cycle"] == pytest.approx(2 / 3, rel=0.02)
    assert found.cycles_per_iteration == pytest.approx(3, rel=0.02)
    assert found.data["tight"][0] == ["latency", "add"]  # type: ignore[index]
    assert found.bottleneck == "latency"
    assert "3-cycle adds wait on each other" in found.sentence
    assert "the reorder buffer fills while" in found.sentence
    best = found.data["sensitivity"][0]  # type: ignore[index]
    assert isinstance(best, dict)
    assert best["parameter"] == "latency of add"
    assert best["gain"] == pytest.approx(1.5, rel=0.05)


def test_accumulators_take_turns(dot: Function) -> None:
    fast = answer(dot, compiler=PLAIN.fast, n=1000)
    width, turns = fast.code.vector.width, fast.code.vector.unroll
    assert width > 1
    chain = next(bound.cycles for bound in fast.prebounds if bound.kind == "chain")
    assert chain == pytest.approx(3 / turns)
    assert fast.iteration_cy < 1.5


def test_bounds_are_ordered(dot: Function) -> None:
    found = said(dot, n=1000)
    reached = found.data["flop_per_cycle"]
    by_name: dict[tuple[object, str], float] = {}
    for bound in found.data["bounds"]:  # type: ignore[union-attr]
        assert isinstance(bound, dict)
        by_name[bound["kind"], " ".join(bound["resources"])] = bound["flop_per_cycle"]  # type: ignore[arg-type,assignment]
    for name in ("add", "mul", "L1 load"):
        assert by_name["issue", name] >= by_name["latency", name] >= reached * (1 - 1e-9)  # type: ignore[operator]
    assert by_name["overlap", "mul add"] <= by_name["latency", "add"]


def test_lines_of_the_plot_have_the_heights_of_the_bounds(dot: Function, daxpy: Function) -> None:
    for function, n in ((dot, 1000), (dot, 1 << 22), (daxpy, 1 << 22)):
        data = said(function, n=n).data
        curves, reached = data["curves"], data["flop_per_cycle"]
        assert isinstance(curves, dict) and isinstance(reached, float)
        at = curves["intensity_per_byte"]
        bounds = {
            (b["kind"], " and ".join(b["resources"])): b["flop_per_cycle"]  # type: ignore[index,call-overload,arg-type]
            for b in data["bounds"]  # type: ignore[union-attr]
        }
        names = set()
        for line in curves["lines"]:  # type: ignore[union-attr]
            flat, slope = line.get("flat"), line.get("slope")  # type: ignore[union-attr]
            height = Curve("", "", 0, flat, slope, line.get("alpha") or 0.0).at(at)  # type: ignore[union-attr,arg-type]
            # no bound lies under what is reached
            assert height >= reached * (1 - 1e-9)
            names.add(line["kind"])  # type: ignore[index,call-overload]
            key = (line["kind"], line["of"])  # type: ignore[index,call-overload]
            if key in bounds:
                assert height == pytest.approx(bounds[key])
        assert {"throughput", "latency"} <= names
        # Q is the sum of what the levels move
        levels = [1 / level["intensity_per_byte"] for level in curves["levels"]]  # type: ignore[index,operator,union-attr,call-overload]
        assert sum(levels) == pytest.approx(1 / at)  # type: ignore[operator]


def test_bytes_of_the_plot(dot: Function) -> None:
    # in L1: two loads of 8 B for two flops
    curves = said(dot, n=1000).data["curves"]
    assert curves["intensity_per_byte"] == pytest.approx(2 / 16, rel=0.01)  # type: ignore[index,call-overload]
    # from memory: of eight loads of a line one brings 64 B, seven load 8 B from L1
    far = said(dot, n=1 << 24).data["curves"]["levels"]  # type: ignore[index,call-overload]
    at = {level["name"]: level["intensity_per_byte"] for level in far}  # type: ignore[index,call-overload,union-attr]
    assert at == {"L1 load": pytest.approx(2 / 14), "MEM": pytest.approx(2 / 16)}


def test_the_link_to_memory_decides(daxpy: Function) -> None:
    found = answer(daxpy, n=1 << 24)
    context = context_of(daxpy, n=1 << 24)
    assert said(daxpy, n=1 << 24).bottleneck == "L3-MEM"
    # three lines of 64 B (two in, one out) for eight iterations, at the update bandwidth
    rate = context.rates.of(context.traffic)["L3-MEM"].gb_s
    least = 24 / rate * context.machine.clock_ghz
    assert found.iteration_cy == pytest.approx(least, rel=0.1)


def test_time_does_not_grow_with_trips(daxpy: Function) -> None:
    runs = [answer(daxpy, n=n).period for n in (1 << 22, 1 << 24, 1 << 27)]
    assert len({(p.iterations, p.cycles, p.found_after) for p in runs}) == 1


def test_lines_far_apart_wait_for_memory(build: ModuleType) -> None:
    x = build.array("x", "f64", "n", 1000)
    total = build.assign("s", build.op("max", build.carried("s"), x["i", 0]))
    column = build.function("column", [x], build.loop("i", 0, "n", total))
    found = answer(column, n=1 << 20)
    # 10 line-fill buffers, each held for the latency of memory: 90 ns at 2.7 GHz are 243 cycles,
    # and no prefetcher goes 8000 bytes ahead
    lines = next(bound for bound in found.prebounds if bound.name == "LFB")
    assert lines.cycles == pytest.approx((243 + 6 - 4) / 10, rel=0.02)
    assert found.iteration_cy >= lines.cycles * (1 - 1e-9)
    assert "line-fill buffers" in said(column, n=1 << 20).sentence


def test_executions_of_a_loop_overlap_where_they_can(dot: Function, build: ModuleType) -> None:
    short, long = answer(dot, n=8), answer(dot, n=5000)
    assert short.problem.bodies == 8
    assert long.problem.bodies is None
    # the sum goes on: every add waits for the one before, in this execution or the last one
    assert short.iteration_cy == pytest.approx(long.iteration_cy) == 3
    # a sum that begins anew does not: three adds of three cycles in a row, others at the same time
    x, y = build.array("x", "f64", "n"), build.array("y", "f64", "n")
    total = build.assign("s", build.carried("s") + x["i"] * y["i"])
    anew = build.assign("s", build.number(0))
    fresh = build.loop("t", 0, 10_000, anew, build.loop("i", 0, "n", total))
    found = answer(build.function("fresh", [x, y], fresh), n=8)
    assert found.iteration_cy < 2
    # a sum in memory goes on where its place stays, and begins anew where the loop around moves it
    for place, around in (("0", 3.0), ("t", None)):
        kept = x[place].set(x[place] + y["i"])
        loops = build.loop("t", 0, 10_000, build.loop("i", 0, "n", kept))
        cycles = answer(build.function("kept", [x, y], loops), n=8).iteration_cy
        assert cycles == pytest.approx(around) if around else cycles < 2.5


def test_a_recurrence_through_memory(build: ModuleType) -> None:
    # x[i] = x[i-1] * y[i] keeps x[i-1] in a register at -O2, and goes through memory at -O1
    x, y = build.array("x", "f64", "n"), build.array("y", "f64", "n")
    body = build.loop("i", 1, "n", x["i"].set(x["i - 1"] * y["i"]))
    scan = build.function("scan", [x, y], build.loop("t", 0, 1000, body))
    kept = answer(scan, n=3000)
    assert kept.iteration_cy == pytest.approx(5, rel=0.01)
    through = answer(scan, compiler=PLAIN._replace(level=1), n=3000)
    # the load of 6 cycles on top
    assert through.iteration_cy == pytest.approx(11, rel=0.01)
    gains = {step.parameter: step.gain for step in sensitivity(through)}
    assert gains["latency of L1 load"] == pytest.approx(11 / 10, rel=0.01)
    assert gains["latency of mul"] == pytest.approx(11 / 10, rel=0.01)


def test_two_passes_back(build: ModuleType) -> None:
    # x[i] = x[i-2] + y[i]: two chains side by side
    x, y = build.array("x", "f64", "n"), build.array("y", "f64", "n")
    body = build.loop("i", 2, "n", x["i"].set(x["i - 2"] + y["i"]))
    scan = build.function("scan", [x, y], build.loop("t", 0, 1000, body))
    found = answer(scan, compiler=PLAIN._replace(vectorise=False, level=1), n=3000)
    assert found.iteration_cy == pytest.approx((6 + 3) / 2, rel=0.01)


def test_never_faster_than_the_core_plan(nests: ModuleType, build: ModuleType) -> None:
    makers = [getattr(nests, n) for n in dir(nests) if not n.startswith("_")]
    seen = 0
    for maker in makers:
        if not callable(maker) or getattr(maker, "__module__", "") != nests.__name__:
            continue
        try:
            function = maker(build)
        except TypeError:
            continue
        if not isinstance(function, Function) or not facts_of(function):
            continue
        for machine in (SNB, HSW, "skylake-sp-6148", "zen2-7452"):
            found = answer_of(context_of(function, machine))
            if found is None:
                continue
            seen += 1
            if found.problem.bodies is not None:
                continue  # executions of a short loop overlap
            assert found.iteration_cy >= 0.97 * found.code.t_core_cy, (function.name, machine)
            for bound in found.prebounds:
                if found.period.repeats:
                    assert found.body_cy >= bound.cycles * (1 - 1e-9), (function.name, bound)
    assert seen > 20


def test_misses_are_spread() -> None:
    walk = LineWalk(0, 0, 8, misses=(8, 3, 1), leaves=(4, 0, 0))
    levels = [walk.level(event) for event in range(8)]
    assert sorted(levels) == [1, 1, 1, 1, 1, 2, 2, 3]
    assert sum(walk.leaving(event) for event in range(8)) == 4
    # what comes from farther has come over the nearer links
    assert all(level >= 1 for level in levels)


def test_an_instruction_of_many_loads_holds_every_port_it_needs() -> None:
    # four loads on two ports, as a gather: two cycles each, whatever starts in the same cycle
    two = (parts.Hold((0, 1)),) * 4
    core = ScheduledCore((Resource("gather"),), ("2", "3"), fetch_width=4, rob=32)
    body = OpStretch((Op((Form(0, 5, 1, two, "load"),)),))
    period = steady(core, body)
    assert period.cycles == 2 * period.iterations
    assert next(b.cycles for b in prebounds(core, body) if b.kind == "ports") == 2


def test_no_period_is_said() -> None:
    # nothing stops the fetch: it runs away from the adds, and no state comes back
    core = sandy_bridge()._replace(rob=None, rs=None)
    body = (Op((ADD,), (Need(0, (1,)),)),)
    period = steady(core, OpStretch(body))
    assert not period.repeats


def test_data_has_its_schema(dot: Function, daxpy: Function, build: ModuleType) -> None:
    path = Path(rooflint.render.__file__).with_name("report.schema.json")
    schema = json.loads(path.read_text(encoding="utf-8"))
    schema["$ref"] = "#/$defs/bounds"
    for key in ("type", "required", "properties", "additionalProperties"):
        schema.pop(key, None)
    h, k = build.array("h", "i32", "m"), build.array("k", "i32", "n")
    copied = build.function("copy", [h, k], build.loop("i", 0, "n", k["i"].set(h["i"])))
    for function, sizes in ((dot, {"n": 1000}), (daxpy, {"n": 1 << 24}), (copied, {"n": 1000})):
        for machine in (SNB, HSW):
            found = said(function, machine=machine, **sizes)
            jsonschema.validate(json.loads(json.dumps(found.data)), schema)


def test_loops_without_flops_count_iterations(build: ModuleType) -> None:
    a, b = build.array("a", "i32", "n"), build.array("b", "i32", "n")
    copied = build.function("copy", [a, b], build.loop("i", 0, "n", b["i"].set(a["i"])))
    found = said(copied, n=1000)
    assert found.data["metric"] == "iteration"
    assert found.cycles_per_iteration is not None
    assert found.data["flop_per_cycle"] == pytest.approx(1 / found.cycles_per_iteration)


def test_calls_run_one_after_the_other(build: ModuleType) -> None:
    # exp of doubles is taken as 17 cycles
    x, y = build.array("x", "f64", "n"), build.array("y", "f64", "n")
    body = y["i"].set(build.call("exp", x["i"]))
    found = said(build.function("exps", [x, y], build.loop("i", 0, "n", body)), n=1000)
    assert found.bottleneck == "calls"
    assert found.cycles_per_iteration == pytest.approx(17, rel=0.01)
    assert found.data["sensitivity"] == []


def test_the_same_bytes_again(daxpy: Function) -> None:
    once: Callable[[], str] = lambda: json.dumps(said(daxpy, n=1 << 22)._asdict())  # noqa: E731
    assert once() == once()


@pytest.fixture
def scaled(build: ModuleType) -> Function:
    """y[i] += a * x[i], again and again."""
    x, y = build.array("x", "f64", "n"), build.array("y", "f64", "n")
    body = y["i"].set(y["i"] + build.scalar("a") * x["i"])
    inner = build.loop("i", 0, "n", body)
    return build.function("scaled", [x, y], build.loop("t", 0, 10_000, inner))


def test_switches_of_the_machine_file(daxpy: Function, scaled: Function) -> None:
    plain = answer(daxpy, n=1 << 24)
    # nothing comes ahead: ten lines in flight, each for the 243 cycles of memory, two of them for
    # eight iterations
    waits = answer(daxpy, core={"prefetch_into": "none"}, n=1 << 24)
    assert waits.iteration_cy > 1.4 * plain.iteration_cy
    assert waits.iteration_cy >= 2 * 243 / 10 / 8
    assert "nothing is prefetched" in waits.notes
    near = answer(daxpy, core={"prefetch_into": "L1"}, n=1 << 24)
    assert near.iteration_cy <= plain.iteration_cy
    # a load may not start before the store of the pass before, which waits for load, product, sum;
    # and where that takes one of two address units, the second load comes a cycle later
    arm = answer(scaled, core={"memory_order": "arm"}, compiler=SCALAR, n=1000)
    assert arm.iteration_cy == pytest.approx(6 + 5 + 3 + 1, rel=0.01)
    x86 = answer(scaled, core={"memory_order": "x86"}, compiler=SCALAR, n=1000)
    assert x86.iteration_cy < arm.iteration_cy


def test_in_order_cores_wait_for_what_is_written_before(scaled: Function) -> None:
    free = answer(scaled, compiler=SCALAR, n=1000)
    held = answer(scaled, compiler=SCALAR, core={"in_order": True}, n=1000)
    # the sum waits for load and product, and the next load for the sum
    assert held.iteration_cy >= 6 + 5
    assert held.iteration_cy > 2 * free.iteration_cy
    assert "buffer" not in said(scaled, core={"in_order": True}, n=1000).sentence


def test_an_execution_fills_and_drains(dot: Function, build: ModuleType) -> None:
    found = answer(dot, n=1000)
    assert found.execution_cy is not None
    # a thousand adds in a row, after the first load and product
    assert found.execution_cy == pytest.approx(3000 + 6 + 5, abs=12)
    # ten adds in a row after a line from memory, 64 B at 12.3 GB/s and 2.7 GHz: too few to repeat
    y = build.array("y", "f64", "n")
    total = build.assign("s", build.carried("s") + y["i"])
    alone = build.function("sum", [y], build.loop("i", 0, "n", total))
    few = answer(alone, core={"prefetch_into": "L1"}, n=10)
    assert few.problem.bodies is None and few.period.found_after > 10
    assert few.execution_cy == pytest.approx(14 + 10 * 3, abs=3)
    short = answer(dot, n=8)
    assert short.execution_cy == pytest.approx(8 * short.iteration_cy)


def test_mispredicted_exits_are_told(dot: Function) -> None:
    # 15 cycles on Sandy Bridge, against 3 x 1000
    found = said(dot, n=1000)
    assert found.data["exit_cycles"] == 15
    assert not [text for text in found.assumptions if "mispredicted" in text]
    often = said(dot, n=300)
    assert "a mispredicted exit adds 15 cycles per execution, 2%" in often.assumptions
    assert said(dot, n=16).data["exit_cycles"] == 0
    assert said(dot, machine="generic-avx2", n=100).data["exit_cycles"] is None


def test_bytes_of_the_plot_have_what_is_written_back(daxpy: Function) -> None:
    # eight iterations: lines of x and y from memory, one of y back; the other loads and all stores
    # of 8 B each in L1
    levels = said(daxpy, compiler=SCALAR, n=1 << 24).data["curves"]["levels"]  # type: ignore[index,call-overload]
    at = {level["name"]: 16 / level["intensity_per_byte"] for level in levels}  # type: ignore[index,call-overload,union-attr,operator]
    assert at["MEM"] == pytest.approx(3 * 64)
    assert at["L1 load"] == pytest.approx(2 * 7 * 8)
    assert at["L1 store"] == pytest.approx(8 * 8)
