"""Whether a measured figure can be trusted: a pure function of the rounds that measured it."""

from collections.abc import Mapping, Sequence

from rooflint.machine.parts import FigureQuality
from rooflint.records import NamedTuple

AGREEMENT, MEMORY_AGREEMENT = 0.05, 0.10
"""The two best rounds differ at most by so much. On a busy host, cache figures repeat within 5 %,
memory only within 10 % (two harnesses over 41 kernels, measured at a load of 2 to 12)."""
SLOW_CLOCK = 0.95
"""A round whose chain of additions ran slower than this share of the fastest one is disturbed."""


class StepKey(NamedTuple):
    """Identifies a figure of the plan: where, which benchmark, how many cores or lines."""

    place: str
    kind: str
    number: int


class RoundSample(NamedTuple):
    """One call of a benchmark: its figure, and how far it had the processor for itself.

    ``clean`` is the share of its short samples during which all its threads ran all the time, and
    the figure is the best of those; ``clock_ghz`` is that of a dependent chain right after.
    """

    figure: float
    clean: float
    wall_s: float
    cpu_s: float
    clock_ghz: float


class MeasuredFigure(NamedTuple):
    """The figure of all rounds, and its quality."""

    figure: float
    quality: FigureQuality


def settle(key: StepKey, rounds: Sequence[RoundSample], fastest_ghz: float) -> MeasuredFigure:
    """The best of the undisturbed rounds; of all where there are none, which makes it doubtful.

    Disturbances only slow a benchmark down, so that two rounds that agree on the best figure are
    evidence of it, and more rounds that are slower are none against it.
    """
    smaller = key.kind in ("wait", "step")
    good = [r for r in rounds if r.clean > 0 and r.clock_ghz >= SLOW_CLOCK * fastest_ghz]
    figures = sorted([r.figure for r in good or rounds], reverse=not smaller)
    best = figures[0]
    spread = _spread(figures)
    limit = MEMORY_AGREEMENT if key.place == "MEM" else AGREEMENT
    return MeasuredFigure(
        best,
        FigureQuality(
            rounds=len(rounds),
            spread=spread,
            clean=sum(r.clean for r in rounds) / len(rounds),
            doubtful=len(good) < 2 or spread > limit,
        ),
    )


def _spread(figures: Sequence[float]) -> float:
    """The distance of the two best over the best; 1 where there is one only."""
    best, *others = figures
    return abs(others[0] - best) / best if others and best > 0 else 1.0


def settle_all(samples: Mapping[StepKey, Sequence[RoundSample]]) -> dict[StepKey, MeasuredFigure]:
    """Each step's figure; the fastest clock that any round saw is the undisturbed one."""
    fastest = max([r.clock_ghz for rounds in samples.values() for r in rounds], default=0.0)
    return {key: settle(key, rounds, fastest) for key, rounds in samples.items()}
