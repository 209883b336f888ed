"""Rounds of the probe, from recorded answers of its benchmark: repeated, and trusted or not."""

import sys
from itertools import pairwise
from pathlib import Path

import pytest
from rooflint.machine.probe.measure import BenchmarkCall, HostFigures, measure
from rooflint.machine.probe.quality import (
    CLEAN_SHARE,
    SLOW_CLOCK,
    SLOW_SENTINEL,
    RoundSample,
    Sentinels,
    StepKey,
    settle,
)
from rooflint.machine.probe.topology import Topology

TOPOLOGY = Topology("Toy", 1, 1, 1, ((0,),), (), 0, None)


def quiet(figure: float, clean: float = 0.9, clock: float = 3.0, stream: float = 0.0) -> str:
    """The answer of the benchmark: figure, clean share, wall and CPU seconds, GHz, additions a
    cycle, GB/s of the memory stream."""
    return f"{figure} {clean} 1.0 {clean} {clock} 3.75 {stream}"


def recorded(
    monkeypatch: pytest.MonkeyPatch, rates: list[str], waits: list[str], clocks: list[str]
) -> tuple[HostFigures, int]:
    """What the recorded answers come to, and how many of them were asked for."""
    module = sys.modules[measure.__module__]
    monkeypatch.setattr(module, "ROUNDS", 4)
    answers = {"rate": iter(rates), "wait": iter(waits), "clock": iter(clocks)}
    calls: list[str] = []
    moments: list[float] = []

    def call(program: Path, words: tuple[str, ...]) -> str:
        calls.append(words[0])
        return "64 1 avx512" if words == ("info",) else next(answers[words[0]])

    monkeypatch.setattr(module, "_call", call)
    monkeypatch.setattr(module, "_wait_until", moments.append)
    steps = (
        BenchmarkCall(StepKey("MEM", "load", 1), ("rate",), "rate"),
        BenchmarkCall(StepKey("L1", "wait", 1), ("wait",), "latency"),
        BenchmarkCall(StepKey("clock", "", 1), ("clock",), "clock"),
    )
    monkeypatch.setattr(module, "plan", lambda _: steps)
    found = measure(Path("probe"), TOPOLOGY, lambda _: None, 100.0)
    # four rounds in 100 s: one each 25 s, from the third on
    assert [round(b - a) for a, b in pairwise(moments)] == [25] * (len(moments) - 1)
    return found, len(calls) - 1


def test_a_quiet_machine_is_measured_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    found, calls = recorded(
        monkeypatch,
        [quiet(20.0), quiet(21.0)],  # 1/21 apart: memory may differ by a tenth
        [quiet(1.30), quiet(1.26)],
        [quiet(3.0), quiet(3.0)],
    )
    assert calls == 6
    assert [rate.asked_gb_s for rate in found.rates] == [21.0]
    assert found.latency_ns["L1"] == 1.26
    assert not any(quality.doubtful for quality in found.quality.values())
    assert found.disturbance.wall_per_cpu == pytest.approx(1 / 0.9)


def test_a_disturbed_step_is_repeated_until_two_rounds_agree(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found, calls = recorded(
        monkeypatch,
        # 3.25 GB/s as a disturbed probe had it; the third round is the first to repeat the best
        [quiet(3.25, 0.02), quiet(20.9), quiet(20.2)],
        [quiet(1.3), quiet(1.3)],
        [quiet(3.0), quiet(3.0)],
    )
    assert calls == 7
    assert [rate.asked_gb_s for rate in found.rates] == [20.9]
    quality = found.quality[StepKey("MEM", "load", 1)]
    assert (quality.rounds, quality.doubtful) == (3, False)


def test_what_never_settles_is_doubtful(monkeypatch: pytest.MonkeyPatch) -> None:
    found, calls = recorded(
        monkeypatch,
        [quiet(20.0), quiet(10.0), quiet(5.0), quiet(12.0)],
        [quiet(1.3, 0.0), quiet(1.3, 0.0), quiet(1.3, 0.0), quiet(1.3, 0.0)],
        [quiet(3.0), quiet(3.0)],
    )
    assert calls == 4 + 4 + 2
    doubtful = {key.place for key, quality in found.quality.items() if quality.doubtful}
    assert doubtful == {"MEM", "L1"}  # rounds that differ; rounds without a clean sample


def test_a_neighbour_on_the_memory_is_seen_by_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    slow, good = quiet(10.0, stream=12.0), quiet(20.0, stream=24.0)
    found, calls = recorded(
        monkeypatch, [slow, slow, good, good], [quiet(1.3)] * 2, [quiet(3.0)] * 2
    )
    # two rounds agree on 10 GB/s; nothing shows that they are slow until the stream is faster
    assert calls == 6
    assert [rate.asked_gb_s for rate in found.rates] == [10.0]
    found, calls = recorded(
        monkeypatch, [slow, good, slow, good], [quiet(1.3)] * 2, [quiet(3.0)] * 2
    )
    assert calls == 8
    assert [rate.asked_gb_s for rate in found.rates] == [20.0]
    assert not found.quality[StepKey("MEM", "load", 1)].doubtful


QUIET = RoundSample(
    figure=1.0,
    clean=CLEAN_SHARE,
    wall_s=1.0,
    cpu_s=1.0,
    clock_ghz=SLOW_CLOCK * 3.0,
    adds_per_cy=SLOW_SENTINEL * 3.75,
    stream_gb_s=SLOW_SENTINEL * 24.0,
)


@pytest.mark.parametrize(
    ("sample", "is_trusted"),
    [
        (QUIET, True),
        (QUIET._replace(stream_gb_s=0.0), True),  # data in a cache
        (QUIET._replace(clean=CLEAN_SHARE - 0.01), False),
        (QUIET._replace(clock_ghz=QUIET.clock_ghz - 0.01), False),
        (QUIET._replace(adds_per_cy=QUIET.adds_per_cy - 0.01), False),
        (QUIET._replace(stream_gb_s=QUIET.stream_gb_s - 0.01), False),
    ],
)
def test_a_round_counts_at_each_limit(sample: RoundSample, *, is_trusted: bool) -> None:
    best_seen = Sentinels(clock_ghz=3.0, adds_per_cy=3.75, stream_gb_s=24.0)
    assert best_seen.trust(sample) is is_trusted
    settled = settle(StepKey("L1", "wait", 1), [sample, sample], best_seen)
    assert settled.quality.doubtful is not is_trusted
