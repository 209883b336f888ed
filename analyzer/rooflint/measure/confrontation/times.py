"""The time of a call by contributions, from those of an iteration of each of its loops."""

from collections.abc import Sequence

from rooflint.plugin_api.drawing import TimePlot, TimeShare


def sum_of_times(loops: Sequence[tuple[TimePlot | None, float]]) -> TimePlot | None:
    """All loops, each with its iterations; None where one of them has no contributions.

    Lines of work and saturation are those of the loop that takes longest.
    """
    known = [(times, count) for times, count in loops if times is not None]
    if not known or len(known) < len(loops):
        return None
    heaviest = max(known, key=lambda loop: loop[0].cycles * loop[1])[0]
    return heaviest._replace(
        cycles=sum([times.cycles * count for times, count in known]),
        shares=_shares(known),
        by_cores=_by_cores(known),
    )


def _shares(loops: Sequence[tuple[TimePlot, float]]) -> tuple[TimeShare, ...]:
    sums: dict[tuple[str, bool], float] = {}
    for times, count in loops:
        for share in times.shares:
            key = share.name, share.overlaps
            sums[key] = sums.get(key, 0.0) + share.cycles * count
    return tuple([TimeShare(name, cycles, overlaps) for (name, overlaps), cycles in sums.items()])


def _by_cores(loops: Sequence[tuple[TimePlot, float]]) -> tuple[float | None, ...]:
    """As far as all loops have them."""
    columns = zip(*[times.by_cores for times, _ in loops], strict=False)
    counts = [count for _, count in loops]
    return tuple([_weighted(column, counts) for column in columns])


def _weighted(cycles: Sequence[float | None], counts: Sequence[float]) -> float | None:
    known = [each for each in cycles if each is not None]
    if len(known) < len(cycles):
        return None
    return sum([each * count for each, count in zip(known, counts, strict=True)])
