"""What the hybrid model says of a nest, in the numbers that rules about coprocessors quote."""

from collections.abc import Mapping
from typing import NamedTuple

from rooflint.ir import Function, Loop, Region, walk
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.rule import RuleContext
from rooflint.rule_kit.queries import kernels_in, time_words


class Estimate(NamedTuple):
    """A nest on the coprocessors, transfers included, against the host with all of its cores.

    transfer_share  part of the time in which the channel is busy
    host_by         what limits the host: ``by its memory bandwidth``
    pays            from which size: ``from n = 241``, ``at no size up to n = 1000000``; or empty
    """

    seconds: float
    host_s: float
    host_cores: int
    coprocessors: int
    transfer_share: float
    pays: str
    host_by: str

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


def estimate_of(context: RuleContext, place: str) -> Estimate | None:
    """What the hybrid model says of the nest at ``place``; None where it does not."""
    for facts in kernels_in(context, place):
        prediction = context.predictions(facts).get("hybrid")
        found = _read(prediction) if prediction is not None else None
        if found is not None:
            coprocessors = context.machine.coprocessors
            number = coprocessors.number if coprocessors is not None else 0
            return found._replace(coprocessors=number)
    return None


def _read(prediction: Prediction) -> Estimate | None:
    data = prediction.data
    host, crossing = data.get("host"), data.get("crossover")
    seconds, share = data.get("T_s"), data.get("transfer_share")
    if not isinstance(host, dict) or not isinstance(seconds, float):
        return None
    alone, cores = host.get("T_s"), host.get("cores")
    if not isinstance(alone, float) or not isinstance(cores, int):
        return None
    words = crossing.get("words") if isinstance(crossing, dict) else ""
    part = share if isinstance(share, float) else 0.0
    return Estimate(seconds, alone, cores, 0, part, str(words or ""), str(host.get("by") or ""))


def on_coprocessors(estimate: Estimate) -> str:
    """``4 coprocessors take 1.07 ms, 100 % transfers``."""
    many = estimate.coprocessors
    who = "1 coprocessor takes" if many == 1 else f"{many} coprocessors take"
    share = f"{100 * estimate.transfer_share:.0f} % transfers"
    return f"{who} {time_words(estimate.seconds)}, {share}"


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
