"""What the Roofline model counts in a loop: flops, integers, exchanges, bytes, or nothing."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from rooflint.ir import Call
from rooflint.machine import builtin_dir, find_machine
from rooflint.plugin_api.prediction import NotApplicable, Prediction

Answer = Callable[..., Prediction]
Predict = Callable[..., Prediction | NotApplicable]


def test_a_copy_counts_bytes(answer: Answer, build: ModuleType, nests: ModuleType) -> None:
    found = answer(nests.streaming(build)["copy"], "opteron-x4", "node", n=1 << 24)
    assert found.data["metric"] == "byte"
    assert found.data["attainable_g_per_s"] == pytest.approx(16.85)
    assert found.data["intensity_per_byte"] == 1
    assert found.sentence == "memory-bound: 24 B per iteration over L3-MEM"
    # 24 B at 16.85 GB/s
    assert found.cycles_per_iteration == pytest.approx(24 / 16.85 * 2.3)


def test_a_transposition_counts_exchanges(answer: Answer, build: ModuleType) -> None:
    a, b = build.array("a", "f64", "n", "n"), build.array("b", "f64", "n", "n")
    inner = build.loop("j", 0, "n", a["i", "j"].set(b["j", "i"]))
    function = build.function("f", [a, b], build.loop("i", 0, "n", inner))
    # a pair of doubles is one exchange: 16 B in, 16 out, 16 fetched: 1/48; Cell 1/32; a column of
    # b (1000 lines) stays in the last level while its neighbours are read
    found = answer(function, "opteron-x4", "node", n=1000)
    assert found.data["metric"] == "exchange"
    assert found.data["intensity_per_byte"] == pytest.approx(1 / 48)
    cell = answer(function, "cell", "node", n=1000)
    assert cell.data["intensity_per_byte"] == pytest.approx(1 / 32)
    assert cell.headline == f"{47.6 / 32:.3g} Gexchange/s"


def test_integers_have_a_roof_of_their_own(answer: Answer, build: ModuleType) -> None:
    a = build.array("a", "i32", "n")
    body = a["i"].set(build.op("xor", a["i"], a["i"] * 3))
    function = build.function("f", [a], build.loop("i", 0, "n", body))
    found = answer(function, "generic-avx2", n=1 << 26)
    assert found.data["metric"] == "iop"
    # two operations over 8 B
    assert found.data["intensity_per_byte"] == pytest.approx(0.25)


def test_complex_numbers_have_the_peak_of_their_parts(answer: Answer, build: ModuleType) -> None:
    a = build.array("a", "c128", "n")
    function = build.function("f", [a], build.loop("i", 0, "n", a["i"].set(a["i"] * a["i"])))
    found = answer(function, "opteron-x4", "node", n=1 << 24)
    # a product of complex numbers is six flops, over 32 B
    assert found.data["intensity_per_byte"] == pytest.approx(6 / 32)
    assert found.data["peak_g_per_s"] == pytest.approx(73.6)


def test_arithmetic_on_registers_is_compute_bound(answer: Answer, build: ModuleType) -> None:
    body = build.assign("s", build.carried("s") * 0.5)
    found = answer(build.function("f", [], build.loop("i", 0, "n", body)), "opteron-x4")
    assert found.sentence == "compute-bound: no data moves beyond registers; peak 9.2 GFLOP/s"
    assert (found.bottleneck, found.data["link"]) == ("compute", None)


def test_loops_of_calls_say_that_there_is_nothing_to_limit(
    predict: Predict, build: ModuleType
) -> None:
    body = build.assign("s", build.call("rand", kind="i32"))
    found = predict(build.function("f", [], build.loop("i", 0, "n", body)), "opteron-x4")
    assert found == NotApplicable("moves no data, and does no counted work: call of rand")


def test_a_constant_element_spread_over_an_array_is_no_exchange(
    answer: Answer, build: ModuleType
) -> None:
    # polynomial.cpp: y[i] = coefficients[5]; the load stands still, so it is a fill of 8 B
    a, b = build.array("a", "f64", "n"), build.array("b", "f64", 16)
    body = a["i"].set(b[5])
    function = build.function("f", [a, b], build.loop("i", 0, "n", body))
    found = answer(function, "cell", n=1 << 24)
    assert (found.data["metric"], found.bottleneck) == ("byte", "LS-MEM")


@pytest.mark.parametrize(
    ("source", "target", "metric"),
    [
        ("i", "i", "byte"),  # a copy
        ("i + 1", "i", "byte"),  # elements move on by one
        ("2*i", "i", "byte"),  # every other element is packed
        ("n - i", "i", "byte"),  # a copy in reverse
        ("i", "3", "byte"),  # the last one stays
    ],
)
def test_moves_of_one_element_count_bytes(
    answer: Answer, build: ModuleType, source: str, target: str, metric: str
) -> None:
    a = build.array("a", "f64", "n")
    body = a[target].set(a[source])
    found = answer(build.function("f", [a], build.loop("i", 0, "n", body)), "cell", n=1 << 20)
    assert found.data["metric"] == metric


def test_a_constant_stored_counts_bytes(answer: Answer, build: ModuleType) -> None:
    a = build.array("a", "f64", "n")
    body = a["i"].set(build.number(0.0))
    found = answer(build.function("f", [a], build.loop("i", 0, "n", body)), "opteron-x4", "node")
    # 8 B fetched and 8 B written back at 16.85 GB/s
    assert found.data["metric"] == "byte"
    assert found.cycles_per_iteration == pytest.approx(16 / 16.85 * 2.3)


def test_swapped_elements_are_one_exchange(answer: Answer, build: ModuleType) -> None:
    a, b = build.array("a", "f64", "n"), build.array("b", "f64", "n")
    body = (
        build.assign("t", a["i"]),
        a["i"].set(b["i"]),
        b["i"].set(build.scalar("t")),
    )
    function = build.function("swap", [a, b], build.loop("i", 0, "n", *body))
    found = answer(function, "cell", "node", n=1 << 24)
    # 32 B an exchange: 16 in and 16 out
    assert found.data["metric"] == "exchange"
    assert found.data["intensity_per_byte"] == pytest.approx(1 / 32)


def test_comparing_and_selecting_floats_counts_bytes(answer: Answer, build: ModuleType) -> None:
    a = build.array("a", "f64", "n")
    largest = build.op("max", build.carried("m"), a["i"])
    function = build.function("f", [a], build.loop("i", 0, "n", build.assign("m", largest)))
    assert answer(function, "generic-avx2", n=1 << 26).data["metric"] == "byte"


@pytest.mark.parametrize("kind", ["ptr", "bool", "opaque", "void"])
def test_what_is_no_number_is_no_integer_work(answer: Answer, build: ModuleType, kind: str) -> None:
    a = build.array("a", "f64", "n")
    odd = build.op("compare", build.scalar("p", kind), build.scalar("q", kind), kind="bool")
    body = (a["i"].set(build.number(0.0)), build.condition(odd))
    function = build.function("f", [a], build.loop("i", 0, "n", *body))
    assert answer(function, "generic-avx2", n=1 << 26).data["metric"] == "byte"


def test_a_type_without_a_peak_has_no_roof(predict: Predict, build: ModuleType) -> None:
    a = build.array("a", "i32", 8)
    body = a[0].set(build.op("compare", build.scalar("k", "i32"), a[1], kind="i32"))
    function = build.function("f", [a], build.loop("i", 0, "n", body))
    assert predict(function, "cell", n=1024) == NotApplicable(
        "no compute roof: cell gives no peak for integer operations on i32; key peak_gop_s.iop.i32"
    )
    half = build.array("h", "f16", "n")
    function = build.function("f", [half], build.loop("i", 0, "n", half["i"].set(half["i"] * 2.0)))
    assert predict(function, "opteron-x4", n=1024) == NotApplicable(
        "no compute roof: opteron-x4 gives no peak for flops on f16; key peak_gflop_s.f16"
    )


def test_a_stated_integer_peak_is_found_under_the_key_that_is_named(tmp_path: Path) -> None:
    text = (builtin_dir() / "cell.yaml").read_text("utf-8")
    text = text.replace("peak_gop_s: {exchange: 17.1}", "peak_gop_s: {exchange: 17.1, iop.i32: 51}")
    text = text.replace("name: cell\n", "name: mine\n").replace("[cell-qs20, qs20]", "[]")
    path = tmp_path / "mine.yaml"
    path.write_text(text, "utf-8")
    peak = find_machine(str(path), (builtin_dir(),)).peak_gops("i32", 16, "iop")
    assert peak is not None
    assert peak.value_g_per_s == 51


def test_calls_that_nobody_looked_into_are_not_mathematical(
    answer: Answer, build: ModuleType
) -> None:
    a = build.array("a", "f64", "n")
    call = Call("report", ())
    body = (a["i"].set(build.call("report", a["i"]) * build.call("exp", a["i"])), call)
    function = build.function("f", [a], build.loop("i", 0, "n", *body))
    assumptions = answer(function, "opteron-x4", n=1 << 20).assumptions
    assert "mathematical functions count no flops: exp" in assumptions
    assert "the work of calls that are not covered is not counted" in assumptions
    assert not any("report" in sentence for sentence in assumptions)


def test_a_loop_of_unknown_calls_takes_those_at_least(predict: Predict, build: ModuleType) -> None:
    a = build.array("a", "i32", "n")
    body = (build.assign("s", build.call("work", a["i"], kind="i32")), Call("work", ()))
    found = predict(build.function("f", [a], build.loop("i", 0, "n", *body)), "generic-avx2", n=64)
    assert isinstance(found, Prediction)
    assert (found.bottleneck, found.headline) == ("calls", "5 cy")
    assert found.cycles_per_iteration == 5  # of one call: there and back
    # in a branch it may be the rare case: the rest has its roof
    found = predict(
        build.function(
            "f",
            [a],
            build.loop(
                "i",
                0,
                "n",
                a["i"].set(build.op("xor", a["i"], build.number(1, "i32"))),
                build.branch(build.op("compare", a["i"], kind="bool"), [Call("error", ())]),
            ),
        ),
        "generic-avx2",
        n=64,
    )
    assert isinstance(found, Prediction)
    assert found.data["metric"] == "iop"
    assert "the work of calls that are not covered is not counted" in found.assumptions


def without_figures(tmp_path: Path, *lines: str) -> str:
    """The path of a machine like generic-2level that lacks what ``lines`` do not state."""
    path = tmp_path / "bare.yaml"
    head = (
        "schema: 1\nname: bare\ndescription: no figures\nsources: {default: a test}\n"
        "clock_ghz: 2\nsockets: 1\ncores_per_socket: 1\nline_bytes: 64\n"
        "caches: [{level: L1, size_kib: 32, ways: 8}]\n"
    )
    path.write_text(head + "".join(f"{line}\n" for line in lines), "utf-8")
    return str(path)


def test_a_machine_without_bandwidth_has_no_memory_roof(
    predict: Predict, build: ModuleType, nests: ModuleType, tmp_path: Path
) -> None:
    bare = without_figures(tmp_path, "memory: {latency_ns: 80}", "peak_gflop_s: {f64: 8}")
    expected = NotApplicable(
        "no memory roof: bare gives no data rate for L1-MEM; key memory.bandwidth"
    )
    loops = nests.streaming(build)
    assert predict(loops["triad"], bare, n=1 << 20) == expected
    assert predict(loops["copy"], bare, n=1 << 20) == expected
    # nothing moves: the peak alone decides, 1 flop at 8 GFLOP/s and 2 GHz is a quarter of a cycle
    body = build.assign("s", build.carried("s") * 0.5)
    found = predict(build.function("f", [], build.loop("i", 0, "n", body)), bare, n=8)
    assert isinstance(found, Prediction)
    assert found.cycles_per_iteration == pytest.approx(0.25)


def test_a_machine_without_a_peak_has_no_compute_roof(
    predict: Predict, build: ModuleType, nests: ModuleType, tmp_path: Path
) -> None:
    rate = "memory: {bandwidth: [{level: MEM, pattern: load, cores: 1, gb_s: 10}]}"
    bare = without_figures(tmp_path, rate)
    loops = nests.streaming(build)
    assert predict(loops["triad"], bare, n=1 << 20) == NotApplicable(
        "no compute roof: bare gives no peak for flops on f64; key peak_gflop_s.f64"
    )
    # bytes need none: 24 B at 10 GB/s
    found = predict(loops["copy"], bare, n=1 << 20)
    assert isinstance(found, Prediction)
    assert found.cycles_per_iteration == pytest.approx(4.8)


def test_only_calls_of_mathematical_functions(answer: Answer, build: ModuleType) -> None:
    a = build.array("a", "f64", "n")
    body = a["i"].set(build.call("exp", a["i"]))
    found = answer(build.function("f", [a], build.loop("i", 0, "n", body)), "opteron-x4", n=1 << 20)
    assert found.data["metric"] == "byte"
    assert "mathematical functions count no flops: exp" in found.assumptions
