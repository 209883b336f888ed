"""A nest on the coprocessors against the host alone: times, crossover, number of coprocessors."""

from rooflint.records import NamedTuple

from rooflint_plugins.models.hybrid.derive.array_transfers import ArrayTransfer
from rooflint_plugins.models.hybrid.derive.choice import Choice, break_even
from rooflint_plugins.models.hybrid.derive.host_only import HostRoofline, HostTime
from rooflint_plugins.models.hybrid.derive.offload import (
    Crossover,
    DeviceTime,
    Offload,
    by_devices,
    crossover,
)
from rooflint_plugins.models.hybrid.derive.pages import PagedNest
from rooflint_plugins.models.hybrid.derive.volumes import footprint_bytes, unique
from rooflint_plugins.models.hybrid.evaluate.results import ProcedureEstimate


class HostComparison(NamedTuple):
    """A nest's best procedure beside the host alone, and what else is known of the nest.

    host            None where the machine does not tell; then there is no crossover either
    transfer_share  part of T that the channel is busy
    transfers       of all arrays in all page loops together, with their bytes
    contradictions  between map clauses and accesses, each a sentence
    """

    best: ProcedureEstimate
    choice: Choice
    host: HostTime | None
    transfer_share: float
    crossover: Crossover | None
    devices: tuple[DeviceTime, ...]
    transfers: tuple[tuple[ArrayTransfer, float], ...]
    contradictions: tuple[str, ...]

    @property
    def speedup(self) -> float | None:
        """Host over hybrid time."""
        return None if self.host is None else self.host.seconds / self.best.seconds

    @property
    def break_even_steps(self) -> float | None:
        """Time steps from which data that stay on the coprocessors pay."""
        return None if self.host is None else break_even(self.best, self.host.seconds)


def compare_with_host(
    offload: Offload, found: PagedNest, choice: Choice, host: HostRoofline
) -> HostComparison:
    """The best procedure of ``choice`` against the host; ValueError where there is none."""
    best = choice.best
    if best is None:
        raise ValueError("nothing fits")
    alone = host.time(best.ops * best.repeat, footprint_bytes(found), found.repeat)
    crossing = None
    if alone is not None:
        crossing = crossover(offload, found, host, best.seconds / alone.seconds)
    return HostComparison(
        best=best,
        choice=choice,
        host=alone,
        transfer_share=transfer_share(best),
        crossover=crossing,
        devices=tuple(by_devices(offload, found, best)),
        transfers=tuple(
            [(t, t.bytes(found.pages[page].trips)) for t, page in unique(found).values()]
        ),
        contradictions=found.contradictions,
    )  # fmt: skip


def transfer_share(best: ProcedureEstimate) -> float:
    """The part of T in which the channel is busy."""
    moving = sum([s.iterations * s.transfer_s for s in best.stages])
    once = sum([s.prologue_s + s.epilogue_s for s in best.stages])
    return min(1.0, best.repeat * (moving + once) / best.seconds)
