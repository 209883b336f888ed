"""The hybrid model's numbers of a nest that rules about coprocessors quote."""

from collections.abc import Mapping

from msgspec import Struct

from rooflint.facts import KernelFacts
from rooflint.ir import Function, Loop, Region, walk
from rooflint.plugin_api.rule import RuleContext
from rooflint.records import NamedTuple
from rooflint.rule_kit.figures import figures_of
from rooflint.rule_kit.queries import kernels_in, time_words


class _HostFigures(Struct, rename={"seconds": "T_s"}):
    """The host alone: ``limit`` is the resource that decides, as the machine names it."""

    seconds: float
    cores: int
    limit: str = ""


class _Crossover(Struct):
    words: str | None = None


class _OffloadFigures(Struct, rename={"seconds": "T_s"}):
    """The part of the hybrid model's data that compares coprocessors and host."""

    seconds: float
    host: _HostFigures
    transfer_share: float | None = None
    crossover: _Crossover | None = None


class OffloadEstimate(NamedTuple):
    """A nest on the coprocessors, transfers included, against the host with all of its cores.

    transfer_share         part of the time in which the channel is busy, 0 to 1
    pays                   from which size: ``from n = 241``, ``at no size up to n = 1000000``
    is_host_memory_bound   the host waits for its memory
    """

    seconds: float
    host_s: float
    host_cores: int
    coprocessors: int
    transfer_share: float
    pays: str
    is_host_memory_bound: bool

    @property
    def speedup(self) -> float:
        """Host time over the coprocessors'."""
        return self.host_s / self.seconds

    @property
    def gained(self) -> Mapping[str, tuple[float, float]]:
        """Seconds by model of a move to the coprocessors."""
        return {"hybrid": (self.host_s, self.seconds)}

    @property
    def lost(self) -> Mapping[str, tuple[float, float]]:
        """Seconds by model of a move back."""
        return {"hybrid": (self.seconds, self.host_s)}


def estimate_of(context: RuleContext, place: str) -> OffloadEstimate | None:
    """The hybrid model's comparison for the nest at ``place``; None where it makes none."""
    coprocessors = context.machine.coprocessors
    for facts in kernels_in(context, place):
        figures = figures_of(context.predictions(facts).get("hybrid"), _OffloadFigures)
        if figures is not None:
            crossover = figures.crossover
            return OffloadEstimate(
                seconds=figures.seconds,
                host_s=figures.host.seconds,
                host_cores=figures.host.cores,
                coprocessors=coprocessors.number if coprocessors is not None else 0,
                transfer_share=figures.transfer_share or 0.0,
                pays=(crossover.words if crossover is not None else None) or "",
                is_host_memory_bound=figures.host.limit == "memory",
            )
    return None


def on_coprocessors(estimate: OffloadEstimate) -> str:
    """``4 coprocessors take 1.07 ms, 100 % transfers``."""
    many = estimate.coprocessors
    who = "1 coprocessor takes" if many == 1 else f"{many} coprocessors take"
    share = f"{100 * estimate.transfer_share:.0f} % transfers"
    return f"{who} {time_words(estimate.seconds)}, {share}"


def data_region(facts: KernelFacts) -> Region | None:
    """The target data region that keeps a kernel's arrays on the coprocessors, if there is one."""
    return next((each for each in facts.kernel.regions if "data" in each.kind.split()), None)


def region_around(
    context: RuleContext, place: str, function: Function | None = None
) -> Region | None:
    """The target region that the loop at ``place`` is in, or is in in a changed function."""
    loop = context.sites[place].loop
    body = context.function.body if function is None else function.body
    for node in walk(body):
        if isinstance(node, Region) and "target" in node.kind.split():
            inside = walk(node.body)
            if any(isinstance(each, Loop) and each.origin == loop.origin for each in inside):
                return node
    return None
