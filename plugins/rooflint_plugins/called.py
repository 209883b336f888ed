"""Calls whose bodies do not stand in a loop, as predictions state them."""

from collections.abc import Iterable

from rooflint.facts import Kernel
from rooflint.facts.kernels import UNKNOWN_CALL_CYCLES
from rooflint.plugin_api.prediction import Prediction


def in_calls(model: str, kernel: Kernel, cores: int) -> Prediction | None:
    """The prediction of a loop whose work is in functions; None where it calls none.

    ``cores`` share the iterations: together they take that part of the cycles of one.
    """
    cycles = called_cycles(kernel)
    if not cycles:
        return None
    return Prediction(
        model=model,
        bottleneck="calls",
        sentence=f"calls of {', '.join(call_names(kernel))} take {cycles:.3g} cy per iteration",
        headline=f"{cycles / cores:.3g} cy",
        cycles_per_iteration=cycles / cores,
        assumptions=call_assumptions(kernel),
    )


def beside_calls(kernel: Kernel) -> str:
    """``; calls of f take 12 cy of it``, to be put behind a sentence; empty without any."""
    names = ", ".join([call.name for call in kernel.priced])
    return f"; calls of {names} take {priced_cycles(kernel):.3g} cy of it" if names else ""


def call_assumptions(kernel: Kernel) -> tuple[str, ...]:
    """The time of each call, and where it is from."""
    return tuple([
        f"calls of {name} take {cycles:.3g} cy per iteration: by the function's body at typical"
        " trips, or as measured of the C library"
        for name, cycles, _ in kernel.priced
    ])  # fmt: skip


def called_cycles(kernel: Kernel) -> float:
    """Cycles of one iteration in calls, those that nothing is known of at their least.

    A call of those in a branch counts as half of one.
    """
    priced = {call.name for call in kernel.priced}
    share = 1.0 if kernel.always_calls else 0.5
    unknown = [name for name in kernel.calls if name not in priced]
    return priced_cycles(kernel) + share * UNKNOWN_CALL_CYCLES * len(unknown)


def priced_cycles(kernel: Kernel) -> float:
    """Cycles of one iteration in the calls whose cost is known."""
    return sum([call.cycles for call in kernel.priced])


def call_names(kernel: Kernel) -> Iterable[str]:
    """The functions called, each once."""
    return dict.fromkeys((*[call.name for call in kernel.priced], *kernel.calls))
