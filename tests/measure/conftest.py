"""Samples of real processes, and processes made up from figures.

``samples/*.jsonl`` are reports of the harness on a shared computer with two cores, three processes
each: a triad with its data in L1 (three offsets, whose figures differ), the same at half the size,
the same and a stencil beside busy neighbours, a function that does nothing, and data in memory.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from rooflint.measure.confrontation.forecast import Forecast, ModelForecast
from rooflint.measure.records import (
    ArrayExtent,
    Batch,
    Calibration,
    Completion,
    ProcessRun,
    Sentinel,
    read_run,
)

SAMPLES = Path(__file__).with_name("samples")


@pytest.fixture(scope="session")
def samples() -> Callable[[str], tuple[ProcessRun, ...]]:
    """``samples("triad_half")``: the processes of a file."""

    def runs(name: str) -> tuple[ProcessRun, ...]:
        found: list[ProcessRun] = []
        report = b""
        for line in (SAMPLES / f"{name}.jsonl").read_bytes().splitlines(keepends=True):
            report += line
            if b'"record":"done"' in line:
                found.append(read_run(report))
                report = b""
        return tuple(found)

    return runs


def _made_up_run(
    cycles: float,
    batches: int = 20,
    clean: int | None = None,
    touched: int = 8192,
    calls: int = 100,
    ghz: float = 2.0,
    stream: float = 0.0,
) -> ProcessRun:
    """A process whose calls take so many cycles each; ``clean`` of its batches are."""
    seconds = cycles / (ghz * 1e9) * calls
    whole = batches if clean is None else clean
    return ProcessRun(
        extents=(ArrayExtent(name="a", low=0, high=touched),),
        calibration=Calibration(calls=calls, restores=False),
        sentinels=(Sentinel(ghz=ghz, adds_per_cy=3.5, stream_gb_s=stream),),
        batches=tuple(
            [
                Batch(
                    calls=calls,
                    wall_s=seconds if number < whole else 2 * seconds + 1e-6,
                    processor_s=seconds,
                    ghz_before=ghz,
                    ghz_after=ghz,
                    ticks=0,
                    mark_ticks=0,
                    mark_passes=0,
                    switches=0,
                )
                for number in range(batches)
            ]
        ),
        completion=Completion(late_pages=0, ran_away=False),
    )


@pytest.fixture(scope="session")
def made_up_run() -> Callable[..., ProcessRun]:
    """A process from a figure."""
    return _made_up_run


@pytest.fixture
def ecm() -> ModelForecast:
    return ModelForecast(model="ecm", cycles=400.0, bottleneck="L1-L2", limit="link", prices="L2")


@pytest.fixture
def forecast(ecm: ModelForecast) -> Forecast:
    return Forecast(
        machine="some",
        levels=("L1", "L2", "MEM"),
        residency="L2",
        iterations=100.0,
        expected_bytes=None,
        least_bytes=None,
        most_bytes=None,
        arrays=1,
        refused=0,
        sizes={},
        assumed=frozenset(),
        guessed_trips=frozenset(),
        layers=(),
        models=(ecm,),
    )
