"""The ECM formulas against published examples, against kerncraft's figures, and their laws."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from rooflint.machine import BandwidthEntry, Machine, builtin_dir, find_machine
from rooflint.memory import LinkTraffic, Rates
from rooflint.memory.rates import stream_of
from rooflint_plugins.models.ecm.composition import Contributions, largest, number, predictions
from rooflint_plugins.models.ecm.scaling import (
    saturation,
    saturation_by_utilisation,
    time_cy,
    utilisations,
)
from rooflint_plugins.models.ecm.transfers import transfers

KERNCRAFT = json.loads((Path(__file__).parent / "kerncraft_ecm.json").read_text(encoding="utf-8"))
LINKS = ("L1-L2", "L2-L3", "L3-MEM")
cycles = st.floats(0.0, 1e3)


def machine(name: str) -> Machine:
    return find_machine(name, (builtin_dir(),))


def composed(t_ol: float, t_nol: float, *links: float) -> Contributions:
    return Contributions(t_ol, t_nol, dict(zip(LINKS, links, strict=True)), memory_cy=links[-1])


def test_page_walks_keep_loads_waiting_at_every_level() -> None:
    parts = composed(8, 6, 9, 9, 19)._replace(walks_cy=30)
    assert list(predictions(parts, "L1").values()) == [36, 45, 54, 73]
    assert largest(parts, 73, "L1") == "page walks"
    assert parts.shorthand == "{8 || 6 | 9 | 9 | 19} + 30 of page walks"


# G. Hager, J. Hammer: The Roofline and ECM models, tutorial slides of 2015: contributions, the
# predictions for data in L1, L2, L3 and memory, n_S as the ratio, and as kerncraft 0.8 counts it
# on 8 cores (None: not within them)
PUBLISHED = [
    ((8, 6, 9, 9, 19), [8, 15, 24, 43], 3, 4),
    ((6, 8, 6, 6, 13), [8, 14, 20, 33], 3, 4),
    ((6, 8, 10, 6, 13), [8, 18, 24, 37], 3, 5),
    ((6, 8, 10, 10, 13), [8, 18, 28, 41], 4, 5),
    ((6, 8, 10, 10, 22), [8, 18, 28, 50], 3, 4),
    ((68, 62, 24, 24, 17), [68, 86, 110, 127], 8, None),
]


@pytest.mark.parametrize(("inputs", "expected", "n_s", "by_utilisation"), PUBLISHED)
def test_published_examples(
    inputs: tuple[float, ...], expected: list[float], n_s: int, by_utilisation: int | None
) -> None:
    parts = composed(*inputs)
    found = predictions(parts, "L1")
    assert list(found) == ["L1", "L2", "L3", "MEM"]
    assert list(found.values()) == expected
    assert parts.shorthand == "{{{} || {} | {} | {} | {}}}".format(*inputs)
    assert saturation(expected[-1], inputs[-1]) == n_s
    assert saturation_by_utilisation(expected[-1], inputs[-1], 8) == by_utilisation


def test_overlapping_links_only_count_where_they_are_longest() -> None:
    parts = composed(4, 0, 4, 8, 13)._replace(overlapping=frozenset(LINKS))
    assert predictions(parts, "L1") == {"L1": 4, "L2": 4, "L3": 8, "MEM": 13}
    # one link of three overlaps: 6 + 9 + 19 = 34 beside it
    parts = composed(8, 6, 9, 9, 19)._replace(overlapping=frozenset({"L2-L3"}))
    assert predictions(parts, "L1") == {"L1": 8, "L2": 15, "L3": 15, "MEM": 34}


def test_the_largest_contribution_is_named() -> None:
    assert largest(composed(6, 8, 6, 6, 13), 33, "L1") == "L3-MEM"
    assert largest(composed(6, 8, 6, 6, 0), 20, "L1") == "REG-L1"
    assert largest(composed(96, 8, 6, 6, 13), 96, "L1") == "core"


@pytest.mark.parametrize(
    ("value", "text"), [(6.0, "6"), (12.96, "13"), (9.45, "9.45"), (1234.5, "1234")]
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert number(value) == text


def row_name(row: dict[str, Any]) -> str:
    sizes = "-".join(f"{name}{value}" for name, value in row["sizes"].items())
    return f"{row['kernel']}-{row['machine']}-{sizes}"


@pytest.mark.parametrize("row", KERNCRAFT["transfers"], ids=row_name)
def test_transfers_as_kerncraft_has_them(row: dict[str, Any]) -> None:
    # one iteration is one line of work, so lines per link are bytes / 64
    target = machine(row["machine"])
    lines = [
        LinkTraffic(link, 64.0 * up, 0.0, 64.0 * down)
        for link, up, down in zip(LINKS, row["up_lines"], row["down_lines"], strict=True)
    ]
    domain = target.domain_cores("MEM")
    stated = (BandwidthEntry("MEM", "load", domain, row["bandwidth_gb_s"]),)
    target = replace(target, memory=target.memory._replace(bandwidth=stated))
    found = transfers(lines, "load", Rates(target, 1), 1.0, target.clock_ghz)
    near, middle, memory = row["cycles"]
    assert found.cycles["L1-L2"] == pytest.approx(near, abs=0.01)
    assert found.cycles["L2-L3"] == pytest.approx(middle, rel=1e-3, abs=0.01)
    assert found.memory_cy == pytest.approx(memory, rel=1e-3)
    assert found.cycles["L3-MEM"] == pytest.approx(memory + row["penalty_cycles"], rel=1e-3)


@pytest.mark.parametrize("row", KERNCRAFT["predictions"], ids=row_name)
def test_predictions_as_kerncraft_composes_them(row: dict[str, Any]) -> None:
    core = machine(row["machine"]).core
    assert core is not None
    near, middle, memory = row["cycles"]
    links = dict(zip(LINKS, (near, middle, memory + row["penalty_cycles"]), strict=True))
    overlapping = frozenset(link for link in LINKS if core.overlap.overlaps(link))
    parts = Contributions(row["T_comp"], row["T_RegL1"], links, overlapping, memory)
    total = max(predictions(parts, "L1").values())
    assert total == pytest.approx(row["total"], rel=1e-3)
    domain = machine(row["machine"]).domain_cores("MEM")
    assert saturation_by_utilisation(total, memory, domain) == row["saturation_cores"]
    if memory:
        busy = utilisations(total, memory, domain)
        times = [memory / each for each in busy]
        assert times == pytest.approx(row["by_cores"][:domain], rel=1e-3)


def test_the_stream_on_a_link_follows_its_reads_and_writes() -> None:
    def pattern(up: float, down: float, written: str = "copy") -> str:
        return stream_of(LinkTraffic("L3-MEM", 64.0 * up, 0.0, 64.0 * down), written)  # type: ignore[arg-type]

    assert [pattern(2, 0), pattern(2, 1), pattern(4, 1), pattern(1, 1)] == [
        "load", "copy", "triad", "update",
    ]  # fmt: skip
    # between copy and triad copy is taken, as kerncraft does; a store is told from an update
    assert pattern(3, 1) == "copy"
    assert pattern(1, 1, "store") == "store"


def test_n_s_rounds_up_and_needs_memory() -> None:
    assert saturation(39.0, 13.0) == 3
    assert saturation(39.1, 13.0) == 4
    assert saturation(20.0, 0.0) is None
    assert saturation_by_utilisation(20.0, 0.0, 8) is None


def test_cores_fill_one_domain_after_the_other() -> None:
    # T_ECM 33, T_mem 13 and 8 cores a domain: 33, 16.5, then 13; a second domain as much again
    assert time_cy(33, 13, 1, 8) == 33
    assert time_cy(33, 13, 2, 8) == 16.5
    assert time_cy(33, 13, 3, 8) == 13
    assert time_cy(33, 13, 8, 8) == 13
    assert time_cy(33, 13, 9, 8) == pytest.approx(1 / (1 / 13 + 1 / 33))
    assert time_cy(33, 13, 16, 8) == 6.5
    assert time_cy(24, 0, 6, 4) == 4


@given(cycles, cycles, cycles, cycles, cycles)
def test_farther_data_is_never_faster(
    t_ol: float, t_nol: float, near: float, middle: float, memory: float
) -> None:
    parts = composed(t_ol, t_nol, near, middle, memory)
    found = list(predictions(parts, "L1").values())
    assert found == sorted(found)
    assert found[-1] == pytest.approx(max(t_ol, t_nol + near + middle + memory))
    together = list(predictions(parts._replace(overlapping=frozenset(LINKS)), "L1").values())
    assert all(a <= b for a, b in zip(together, found, strict=True))


@given(st.floats(0.1, 1e3), st.floats(0.1, 1e3), st.integers(1, 32), st.integers(1, 16))
def test_more_cores_never_take_longer_nor_beat_the_memory(
    total: float, memory: float, cores: int, domain: int
) -> None:
    total = max(total, memory)
    found = time_cy(total, memory, cores, domain)
    assert time_cy(total, memory, cores + 1, domain) <= found * (1 + 1e-12)
    domains = -(-cores // domain)
    assert found >= memory / domains * (1 - 1e-12)
    assert found >= total / cores * (1 - 1e-12)
