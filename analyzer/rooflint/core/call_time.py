"""Cycles of the calls in an iteration whose bodies do not stand in their place."""

from collections.abc import Iterable

from rooflint.core.libm import UNKNOWN_CALL_CYCLES
from rooflint.facts import Kernel


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
