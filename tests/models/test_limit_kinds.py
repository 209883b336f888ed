"""What limits is of a kind that the machine knows; no hyphen or comma in a name decides."""

import pytest
from rooflint.machine import builtin_dir, find_machine
from rooflint.plugin_api.prediction import Prediction, limit_kind
from rooflint.render.phrases import verdict
from rooflint_plugins.models.bounds.parts import Resource, ScheduledCore
from rooflint_plugins.models.bounds.prebounds import PreBound
from rooflint_plugins.models.bounds.words import busy_ports
from rooflint_plugins.models.ceilings.verdicts import NEARLY, is_reached
from rooflint_plugins.models.ecm.model import saturation_text

LINKS = ("REG-L1", "L1-L2", "L2-L3", "L3-MEM")


@pytest.mark.parametrize(
    ("bottleneck", "words"),
    [
        ("compute", "compute-bound"),
        ("memory", "memory-bound"),
        ("L3-MEM", "memory-bound"),
        ("L1-L2", "memory-bound"),
        # words of somebody's model, links of no machine here
        ("front-end", "limited by front-end"),
        ("store-buffer", "limited by store-buffer"),
        ("gpu-occupancy", "limited by gpu-occupancy"),
        ("HBM-MEM", "limited by HBM-MEM"),
        ("", "limited by "),
    ],
)
def test_a_bottleneck_is_worded_by_its_kind(bottleneck: str, words: str) -> None:
    kind = limit_kind(bottleneck, LINKS)
    prediction = Prediction("mine", bottleneck, "it waits", "1 cy", limit=kind)
    assert verdict(prediction)[0] == words


def test_every_link_of_every_machine_is_a_data_path() -> None:
    for path in builtin_dir().glob("*.yaml"):
        *nearer, memory = find_machine(path.stem, (builtin_dir(),)).links
        assert {limit_kind(link, (*nearer, memory)) for link in nearer} <= {"link"}
        assert limit_kind(memory, (*nearer, memory)) == "memory"


@pytest.mark.parametrize(
    ("ports", "bottleneck", "text"),
    [
        (("0",), "ports", "port 0 is busy in every cycle"),
        (("0", "1"), "ports", "ports 0, 1 are busy in every cycle"),
        # a name may have any letters
        (("0-1",), "ports", "port 0-1 is busy in every cycle"),
        (("p0,p1",), "ports", "port p0,p1 is busy in every cycle"),
        (("page walks",), "page walks", "page walks take all the time"),
        (("call",), "calls", "library calls take all the time"),
        (("L1-L2",), "L1-L2", "transfers over L1-L2 take all the time"),
    ],
)
def test_ports_are_worded_by_their_kind(ports: tuple[str, ...], bottleneck: str, text: str) -> None:
    kinds = {"page walks": "page walks", "call": "calls", "L1-L2": "link"}
    core = ScheduledCore((Resource("add"),), ports, kinds=kinds)  # type: ignore[arg-type]
    reason = busy_ports(PreBound("ports", ", ".join(ports), 4.0, ports), core)
    assert (reason.bottleneck, reason.text) == (bottleneck, text)


@pytest.mark.parametrize(
    ("n_s", "domain", "text"),
    [
        (1, 8, "one core saturates memory"),
        (1, 1, "one core saturates memory"),
        (7, 8, "memory saturates at 7 cores"),
        (8, 8, "memory saturates at 8 cores"),
        (9, 8, "memory does not saturate on 8 cores"),
        (875, 18, "memory does not saturate on 18 cores"),
        (2, 1, "memory does not saturate on 1 core"),
    ],
)
def test_memory_saturates_on_cores_that_exist(n_s: int, domain: int, text: str) -> None:
    assert saturation_text(n_s, domain) == text


def test_a_stated_height_is_reached_within_its_rounding() -> None:
    # Clovertown's balance, 74.67 over 37.33, by a loop with as many adds as multiplies
    assert is_reached(2.0, 74.67 / 37.33)
    assert is_reached(2.0 * (1 - 0.99 * NEARLY), 2.0)
    assert not is_reached(2.0 * (1 - 1.01 * NEARLY), 2.0)
    # the two lowest figures in machines/ that are stated, each at the end of its rounding
    assert is_reached(4.395 / 2.205, 4.4 / 2.2)
