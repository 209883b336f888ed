"""What misses cost, what raising the intensity gives, Little's law, the roofs of all links."""

import math
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from rooflint.ir import Function
from rooflint.machine import Machine, builtin_dir, find_machine
from rooflint.plugin_api.prediction import Json, Prediction

Ask = Callable[..., Any]
TOY = "generic-2level"


def machine(name: str) -> Machine:
    return find_machine(name, (builtin_dir(),))


def rungs(found: Prediction) -> dict[object, dict[str, Json]]:
    listed = found.data["ceilings"]
    assert isinstance(listed, list)
    return {entry["name"]: entry for entry in listed if isinstance(entry, dict)}


def blocked(build: ModuleType, row: int) -> Function:
    """dgemm of 1024 x 1024 in blocks of 64, unit stride inside."""
    a, b, c = (build.array(name, "f64", row, row) for name in "abc")
    i, j, k = "ii + i", "jj + j", "kk + k"
    nest = build.loop("j", 0, 64, c[i, j].add(a[i, k] * b[k, j]))
    nest = build.loop("i", 0, 64, build.loop("k", 0, 64, nest))
    for index in ("kk", "jj", "ii"):
        nest = build.loop(index, 0, 1024, nest, step=64)
    return build.function("blocked", [a, b, c], nest)


def test_the_three_cs_of_a_blocked_product(ask: Ask, build: ModuleType) -> None:
    # compulsory: a, b and c once, c also out: 4 * 8 MiB / 1024^3 = 1/32 B per iteration. Capacity
    # alone makes it 0.2656, x 8.5; conflicts 8.375, x 31.5 on top
    found = ask(blocked(build, 1024), TOY).ceilings
    misses, raised = found.data["misses"], found.data["raised"]
    assert isinstance(misses, dict)
    assert isinstance(raised, dict)
    assert misses["link"] == "L2-MEM"
    assert misses["compulsory_bytes"] == pytest.approx(1 / 32)
    assert misses["factor"] == pytest.approx(8.375 * 32)
    assert misses["capacity_factor"] == pytest.approx(8.5, rel=0.05)
    assert misses["conflict_factor"] == pytest.approx(31.5, rel=0.05)
    assert found.data["intensity_per_byte"] == pytest.approx(2 / 8.375)
    assert found.data["compulsory_intensity_per_byte"] == pytest.approx(64)
    assert raised["first"] is True
    start = "raise the intensity first, up to "
    assert found.sentence.startswith(start)
    said = r"\(pad rows\): capacity \(×8\.\d+\) and conflict misses \(×31[.\d]*\) move 268 times"
    assert re.search(said, found.sentence)
    assert (
        "the compulsory bytes over L2-MEM, 0.239 instead of 64 flop/B; as it is " in found.sentence
    )
    # padded, capacity is what is left, and the remedy is another
    better = ask(blocked(build, 1032), TOY).ceilings
    misses = better.data["misses"]
    assert isinstance(misses, dict)
    assert misses["conflict_factor"] == pytest.approx(1)
    assert misses["capacity_factor"] == pytest.approx(8.5)


@pytest.mark.parametrize(
    ("n", "factor"),
    [
        # 24 B with all layers kept; 40 with three rows loaded anew
        (4000, 1.0),
        (20_000, 40 / 24),
    ],
)
def test_a_broken_layer_condition_costs_its_factor(
    ask: Ask, build: ModuleType, nests: ModuleType, n: int, factor: float
) -> None:
    found = ask(nests.jacobi2d(build), TOY, n=n).ceilings
    data = found.data
    best, now = data["compulsory_intensity_per_byte"], data["intensity_per_byte"]
    assert isinstance(best, float)
    assert isinstance(now, float)
    assert best / now == pytest.approx(factor, rel=0.003)
    assert best == pytest.approx(4 / 24, rel=0.003)
    raised = data["raised"]
    if factor == 1.0:
        assert raised is None
        assert "intensity" not in found.sentence
        return
    assert isinstance(raised, dict)
    misses = data["misses"]
    assert isinstance(misses, dict)
    assert misses["capacity_factor"] == pytest.approx(factor, rel=0.003)
    assert misses["conflict_factor"] == pytest.approx(1)
    # bound by memory as it is: the whole factor is gained, and the climb from there multiplies
    assert raised["base_g_per_s"] == pytest.approx(factor * data["base_g_per_s"], rel=0.003)
    path = raised["path"]
    assert isinstance(path, list)
    product = math.prod(step["factor"] for step in path if isinstance(step, dict))
    assert raised["base_g_per_s"] * product == pytest.approx(raised["roof_g_per_s"])


# --- Little's law, links, intensity


def concurrency(found: Prediction) -> dict[str, Json]:
    data = found.data["concurrency"]
    assert isinstance(data, dict)
    return data


def test_lines_in_flight_by_littles_law(ask: Ask, build: ModuleType, nests: ModuleType) -> None:
    # one core of the Xeon Gold: 14.32 GB/s * 90 ns / 64 B are 20.1 lines; its 12 fill buffers carry
    # 12 * 64 B / 90 ns = 8.53 GB/s, and the prefetchers the rest
    alone = ask(nests.streaming(build)["dot"], "skylake-sp-6148", n=1 << 26).ceilings
    data = concurrency(alone)
    assert data["needed_lines"] == pytest.approx(14.32 * 90 / 64)
    assert (data["fill_buffers"], data["cores"]) == (12, 1)
    assert data["demand_gb_s"] == pytest.approx(12 * 64 / 90)
    said = (
        "Little's law: 14.3 GB/s at 90 ns need 20.1 lines in flight; 1 core has 12 fill buffers,"
        " 8.53 GB/s without prefetching"
    )
    assert said in alone.assumptions
    # the ceiling derived from it stands there
    assert rungs(alone)["sw-prefetch"]["origin"] == "derived"
    # a socket: 117.8 GB/s need 166 lines, 8.3 a core, and 20 cores have 240
    socket = ask(nests.streaming(build)["dot"], "skylake-sp-6148", -1, "socket", n=1 << 26).ceilings
    data = concurrency(socket)
    assert data["needed_lines"] == pytest.approx(165.7, abs=0.1)
    assert data["fill_buffers"] == 240
    (text,) = [line for line in socket.assumptions if line.startswith("Little")]
    assert text.endswith("20 cores have 240 fill buffers")
    assert "sw-prefetch" not in rungs(socket)


@pytest.mark.parametrize("name", ["cell", "opteron-x4", "sandybridge-ep-e5-2680"])
def test_without_latency_or_buffers_little_says_nothing(
    ask: Ask, build: ModuleType, nests: ModuleType, name: str
) -> None:
    target = machine(name)
    assert not (target.memory.latency_ns and target.core and target.core.buffers.line_fill)
    found = ask(nests.streaming(build)["dot"], name, n=1 << 26).ceilings
    assert found.data["concurrency"] is None
    assert not any(text.startswith("Little") for text in found.assumptions)


def test_links_of_the_cores_that_the_ceilings_count(
    ask: Ask, build: ModuleType, nests: ModuleType
) -> None:
    # triad on generic-2level, four cores of one each: L1 two loads of 32 B a cycle at 2 GHz, 128
    # GB/s a core; 24 B per iteration there, 32 B with the fetched line further out
    found = ask(nests.streaming(build)["triad"], "generic-2level", n=1 << 24).ceilings
    levels = found.data["levels"]
    assert isinstance(levels, list)
    rows = [tuple(level.values()) for level in levels if isinstance(level, dict)]
    assert [row[0] for row in rows] == ["REG-L1", "L1-L2", "L2-MEM"]
    assert [row[1] for row in rows] == pytest.approx([2 / 24, 2 / 32, 2 / 32])
    target = machine("generic-2level")
    for link, _, rate in rows:
        expected = target.bandwidth_gb_s(str(link), "triad", 4)
        assert expected is not None
        assert rate == pytest.approx(expected.gb_s)


def test_intensity_first_only_where_it_is_worth_more_than_the_next_ceiling(
    ask: Ask, build: ModuleType, nests: ModuleType
) -> None:
    # rows of 160 KB do not stay in the Opteron X2's caches; one core: memory binds, and the step
    # that binds next, SW prefetch x 1.53, is less than 40 / 24
    broken = ask(nests.jacobi2d(build), "opteron-x2", -1, "node", n=200_000).ceilings
    raised = broken.data["raised"]
    assert isinstance(raised, dict)
    assert raised["first"] is True
    path = broken.data["path"]
    assert isinstance(path, list)
    assert broken.sentence.startswith("raise the intensity first, up to ×")
    assert "(block or fuse loops): capacity misses move 1.67 times" in broken.sentence
    # dot products of rows and columns: a chain of dependent adds, one every 4 cycles at 2.4 GHz,
    # holds them at 1.2 GFLOP/s, below what 8 B of b an iteration allow: ceilings first
    a, b = build.array("a", "f64", "n", "n"), build.array("b", "f64", "n", "n")
    body = build.assign("t", build.carried("t") + a["i", "k"] * b["k", "j"])
    nest = build.loop("j", 0, "n", build.loop("k", 0, "n", body))
    function = build.function("product", [a, b], build.loop("i", 0, "n", nest))
    found = ask(function, "skylake-sp-6148", n=8200).ceilings
    raised = found.data["raised"]
    assert isinstance(raised, dict)
    assert raised["first"] is False
    assert raised["factor"] == pytest.approx(1.0)
    assert "raise the intensity first" not in found.sentence
    assert found.sentence.startswith("capacity misses move ")
