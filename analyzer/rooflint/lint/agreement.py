"""Findings that stand for each other: on several machines, or at one place more than once.

Sharing the work of a loop among the cores leaves each with the same slow code. A change that makes
a nest twice as fast on one core stands for both, and names the threads as the next step.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from rooflint.config.lint_settings import NOTES, Policy
from rooflint.ir import Span
from rooflint.lint.messages import LONGEST
from rooflint.plugin_api.advice import (
    Advice,
    MachineGain,
    Silence,
    gain_text,
    silence_of,
    takes_threads,
    threads_last,
    value_order,
)
from rooflint.records import NamedTuple

GUARD: Final = "policy"
SERIAL_FIRST: Final = 2.0
"""Times that a nest is faster on one core, from where on threads are a later step of it."""
SERIAL_FIRST_GUARD: Final = "serial-first"
_OWN: Final = frozenset(note.code for note in NOTES)
_Rank: TypeAlias = tuple[tuple[float, float], int, int, str]


def merge_machines(
    findings: Iterable[Advice], silent: Sequence[Silence], machines: Sequence[str], policy: Policy
) -> tuple[list[Advice], list[Silence]]:
    """One finding for those at one place on several machines, and what is silent for others.

    ``all``: it has to hold on all of them, and its numbers are those of the least gain; ``any``: on
    one at least, with those of the greatest. Notes of the lint's own stay as they are.
    """
    ordered = sorted(findings, key=rank)
    merged = [each for each in ordered if each.code in _OWN]
    refused: list[Silence] = []
    for by_machine in _by_place(ordered):
        missing = [name for name in machines if name not in by_machine]
        on_machines = [by_machine[name] for name in machines if name not in missing]
        by_gain = sorted(on_machines, key=_gain)
        if policy == "all" and missing:
            refused.append(_refused(by_gain[0], silent, missing))
            continue
        merged.append(_on_all(by_gain[0 if policy == "all" else -1], on_machines))
    return merged, refused


def _on_all(advice: Advice, on_machines: Iterable[Advice]) -> Advice:
    gains = [MachineGain(each.machine, each.gain) for each in on_machines]
    return advice._replace(machines=tuple(gains))


def _by_place(findings: Iterable[Advice]) -> Iterable[Mapping[str, Advice]]:
    places: dict[object, dict[str, Advice]] = {}
    for each in findings:
        if each.code not in _OWN:
            note = each.fingerprint if each.gain is None else ""
            places.setdefault((each.code, each.span, note), {}).setdefault(each.machine, each)
    return places.values()


def _gain(advice: Advice) -> float:
    return advice.gain.low if advice.gain is not None else 0.0


def _refused(advice: Advice, silent: Iterable[Silence], missing: Iterable[str]) -> Silence:
    why = {
        each.machine: f" ({each.guard}: {each.reason})"
        for each in silent
        if (each.code, each.span) == (advice.code, advice.span)
    }
    reason = ", ".join([f"not on {name}{why.get(name, '')}" for name in missing])
    return silence_of(advice, GUARD, reason)


def deduplicate(
    findings: Iterable[Advice], functions: Mapping[str, Sequence[Span]]
) -> Iterable[Advice]:
    """Instances of a template and calls of a macro have the same finding at the same place.

    So have copies that are inlined into callers: the one in its own function is kept, by the
    places of the ``functions``, else the one that saves most.
    """

    def order(advice: Advice) -> tuple[bool, _Rank]:
        own = functions.get(advice.function, ())
        is_at_home = any(each.line <= advice.span.line <= each.end_line for each in own)
        return not is_at_home, rank(advice)

    found: dict[object, Advice] = {}
    for each in sorted(findings, key=order):
        key = (each.code, each.span, each.message if each.gain is None else "")
        found.setdefault(key, each)
    return found.values()


def rank_findings(findings: Iterable[Advice]) -> list[Advice]:
    """The most time saved first; in each function, threads behind what one core can have."""
    by_rank = sorted(findings, key=rank)
    return threads_last(by_rank, lambda each: each, lambda each: each.function)


def rank(advice: Advice) -> _Rank:
    """Orders findings: the most time saved first, then as they stand in the file."""
    return (value_order(advice), advice.span.line, advice.span.column, advice.code)


class SettledThreads(NamedTuple):
    """The findings of a file that are left, and the threads that are a later step of them."""

    findings: tuple[Advice, ...]
    behind: tuple[Silence, ...]


def settle_threads(findings: Sequence[Advice]) -> SettledThreads:
    """Threads of nests that one core can run twice as fast become a part of that finding."""
    behind: list[Silence] = []
    kept = list(findings)
    for threads in filter(takes_threads, findings):
        first = _first_step(threads, kept)
        if first is None:
            continue
        kept.remove(threads)
        gain = gain_text(first.gain.low) if first.gain is not None else ""
        behind.append(
            silence_of(threads, SERIAL_FIRST_GUARD, f"{first.code} comes first: {gain} on one core")
        )
        kept[kept.index(first)] = _with_next_step(first, threads)
    return SettledThreads(tuple(kept), tuple(behind))


def _first_step(threads: Advice, findings: Iterable[Advice]) -> Advice | None:
    """The change on one core that saves most of the nest's time, if it saves half of that."""
    half = _seconds_before(threads) * (1 - 1 / SERIAL_FIRST)
    others = [
        each
        for each in findings
        if not takes_threads(each)
        and each.gain is not None
        and each.gain.low >= SERIAL_FIRST
        and _nest(each) == _nest(threads)
        and _saved_seconds(each) >= half
    ]
    return max(others, key=_saved_seconds, default=None)


def _nest(advice: Advice) -> tuple[str, str]:
    return advice.function, advice.loop.partition(".")[0]


def _seconds_before(threads: Advice) -> float:
    """Of the nest as it is, from what its threads save."""
    assert threads.gain is not None
    left = 1 / max(threads.gain.low, 1.0)
    return _saved_seconds(threads) / (1 - left) if left < 1 else 0.0


def _saved_seconds(advice: Advice) -> float:
    return advice.numbers.saved_seconds if advice.numbers is not None else 0.0


def _with_next_step(first: Advice, threads: Advice) -> Advice:
    """With the threads as what comes next, in the message where it has room."""
    message = f"{first.message}; next: threads ({threads.code})"
    shown = message if len(message) <= LONGEST else first.message
    return first._replace(message=shown)
