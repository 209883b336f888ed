"""Sentences of findings: what the code does, the change, what it brings, on what assumption."""

from collections.abc import Sequence

from rooflint.records import NamedTuple

LONGEST = 200
SHORTEST_EVIDENCE = 40


class SizeWords(NamedTuple):
    """The guessed sizes behind a price, ``n = 250 assumed``, and where the finding holds, ``from n
    >= 200``; empty where there is nothing to say."""

    assumed: str = ""
    holds: str = ""


def message_of(
    evidence: str,
    change: str,
    sizes: SizeWords,
    more: str = "",
    machine: str = "",
) -> str:
    """One line of at most 200 characters; what is left out first is the assumption. It ends in the
    sizes for which it is true.

    evidence, change   of the verdict (``verdict.finding_words``)
    more               what the rest of a chain brings, ``with RL301 7.1×``
    machine            which of several the gain is of
    """
    together = f", {more}" if more else ""
    where = f" on {machine}" if machine else ""
    claim = f"{change}{where}{together}"
    assumed, end = sizes.assumed, sizes.holds and f", {sizes.holds}"
    for tail in (f" ({assumed})", "") if assumed else ("",):
        line = f"{evidence}; {claim}{tail}{end}"
        if len(line) <= LONGEST:
            return line
    room = LONGEST - len(claim) - len(end) - 3
    if room < SHORTEST_EVIDENCE:
        most = LONGEST - len(end)
        return (f"{claim[: most - 1]}…" if len(claim) > most else claim) + end
    return f"{evidence[:room]}…; {claim}{end}"


def shorten(text: str) -> str:
    """A sentence that is said as it is."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def figure(value: float) -> str:
    """Three digits at most: ``0.25``, ``2.6``, ``14.1``, ``1200``."""
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def assumed_words(sizes: Sequence[tuple[str, int]]) -> str:
    """``n = m = 1000 assumed``; of many sizes the first two."""
    if not sizes:
        return ""
    values = {value for _, value in sizes}
    names = [name for name, _ in sizes]
    if len(values) == 1 and len(names) <= 3:
        return f"{' = '.join(names)} = {values.pop()} assumed"
    more = ", …" if len(sizes) > 2 else ""
    return f"{', '.join(f'{name} = {value}' for name, value in sizes[:2])}{more} assumed"
