"""Wrong guesses of branches on data: how many there may be, and what they cost.

Of outcomes that are independent of each other, one with the share p, a predictor that goes by their
history is wrong in 2 p (1 - p): where it guesses one and the other comes, either way. Data that
repeats or is sorted is predicted better, down to never wrong; so the cost is a range. Of lists of
negative numbers out of 4096, random against sorted, the difference is 22 to 25 cycles for each such
guess at shares of 2, 10, 30 and 50 % (gcc 12.2, an Intel core that Granite Rapids' caches belong
to).
"""

from typing import Final

from rooflint.machine import Machine

RARER_SHARES: Final = (0.1, 0.5)
"""Of the outcomes: from where a branch on data costs more than most loop bodies to the worst."""
NEVER_WRONG, MOST_WRONG = 0.0, 0.5
"""Shares of wrong guesses: data that repeat or are sorted, or of which few are of the rarer kind,
and outcomes that are independent and as likely as each other."""


def misprediction_cy(machine: Machine) -> float | None:
    """Core cycles of a wrong guess; None where the machine does not state them."""
    return None if machine.core is None else machine.core.mispredict_cy


def wrong_share(taken: float) -> float:
    """The share of wrong guesses of a branch that ``taken`` of its executions take, each of them
    independent of the others."""
    return 2 * taken * (1 - taken)


def guess_words(wrong: float, cycles: float) -> tuple[str, ...]:
    """The wrong guesses that a model leaves out, as an assumption; none where they are free."""
    if not cycles:
        return ()
    return (
        f"branches on data are guessed right; wrong guesses, {wrong:.2g} an iteration at most,"
        f" add up to {cycles:.3g} cy/it",
    )
