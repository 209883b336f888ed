"""Calls whose bodies do not stand in a loop, as predictions state them."""

from rooflint.core.call_time import call_names, called_cycles, priced_cycles
from rooflint.facts import Kernel
from rooflint.plugin_api.prediction import Prediction


def in_calls(model: str, kernel: Kernel) -> Prediction | None:
    """The prediction of a loop whose work is in functions; None where it calls none."""
    cycles = called_cycles(kernel)
    if not cycles:
        return None
    return Prediction(
        model=model,
        bottleneck="calls",
        sentence=f"calls of {', '.join(call_names(kernel))} take {cycles:.3g} cy per iteration",
        headline=f"{cycles:.3g} cy",
        cycles_per_iteration=cycles,
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
        for name, cycles in kernel.priced
    ])  # fmt: skip
