"""Whether a measured figure can be trusted: a pure function of the rounds that measured it."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from rooflint.machine.parts import FigureQuality
from rooflint.records import NamedTuple

AGREEMENT, MEMORY_AGREEMENT = 0.05, 0.10
"""The two best rounds differ at most by so much. On a busy host, cache figures repeat within 5 %,
memory only within 10 % (two harnesses over 41 kernels, measured at a load of 2 to 12)."""
SLOW_CLOCK = 0.95
"""A round whose chain of additions ran slower than this share of the fastest one is disturbed."""
SLOW_SENTINEL = 0.9
"""The same of four chains and of the memory stream. On a busy host the best stream of a run varied
by a quarter, the chain by a few per cent."""
CLEAN_SHARE = 0.5
"""A round counts only where it had the processor for itself in half of its samples: the best of a
few clean ones is the luck of a moment."""


class StepKey(NamedTuple):
    """Identifies a figure of the plan: where, which benchmark, how many cores or lines."""

    place: str
    kind: str
    number: int


class RoundSample(NamedTuple):
    """One call of a benchmark: its figure, and how far it had the processor for itself.

    ``clean`` is the share of its short samples during which all its threads ran all the time, and
    the figure is the best of those. Right after, ``clock_ghz`` is that of a dependent chain,
    ``adds_per_cy`` that of four chains; ``stream_gb_s`` is 0 for data that fit a cache.
    """

    figure: float
    clean: float
    wall_s: float
    cpu_s: float
    clock_ghz: float
    adds_per_cy: float = 0.0
    stream_gb_s: float = 0.0


class MeasuredFigure(NamedTuple):
    """The figure of all rounds, and its quality."""

    figure: float
    quality: FigureQuality


class Sentinels(NamedTuple):
    """The best that any round saw: what the computer does when nothing else runs."""

    clock_ghz: float
    adds_per_cy: float = 0.0
    stream_gb_s: float = 0.0

    def trust(self, sample: RoundSample) -> bool:
        """Whether a round had core, execution units and memory for itself."""
        return (
            sample.clean >= CLEAN_SHARE
            and sample.clock_ghz >= SLOW_CLOCK * self.clock_ghz
            and sample.adds_per_cy >= SLOW_SENTINEL * self.adds_per_cy
            and (not sample.stream_gb_s or sample.stream_gb_s >= SLOW_SENTINEL * self.stream_gb_s)
        )


def sentinels_of(samples: Iterable[RoundSample]) -> Sentinels:
    """The best of each sentinel."""
    seen = list(samples)
    return Sentinels(
        clock_ghz=max([each.clock_ghz for each in seen], default=0.0),
        adds_per_cy=max([each.adds_per_cy for each in seen], default=0.0),
        stream_gb_s=max([each.stream_gb_s for each in seen], default=0.0),
    )


def settle(key: StepKey, rounds: Sequence[RoundSample], best_seen: Sentinels) -> MeasuredFigure:
    """The best of the undisturbed rounds; of all where there are none, which makes it doubtful.

    Disturbances only slow a benchmark down, so that two rounds that agree on the best figure are
    evidence of it, and more rounds that are slower are none against it.
    """
    smaller = key.kind in ("wait", "step")
    good = [each for each in rounds if best_seen.trust(each)]
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
    """Each step's figure; the best sentinels that any round saw are the undisturbed ones."""
    best_seen = sentinels_of(chain.from_iterable(samples.values()))
    return {key: settle(key, rounds, best_seen) for key, rounds in samples.items()}
